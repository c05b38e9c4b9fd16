// Package agentcore is an agent runtime: a loop over a language model with tools,
// permission, hooks, budgets and subagents, whose sessions are kept in the form in
// which package transcript, and so stophook, reads them.
//
// # Where to start
//
// [New] makes an [Agent] from a [Config]: a model (agentcore/model), tools
// (agentcore/tool/builtin), and a session (agentcore/session). [Agent.Run] works on
// one prompt and yields what happens; [Final] reads a run to its end.
//
// While a run goes on, other goroutines steer it: [Agent.Steer] and
// [Agent.FollowUp] bring messages, [Agent.Abort] ends the run at a safe point,
// [Agent.CancelTool] ends one call.
//
// # What the caller decides
//
// The model and its price, which tools there are and what they may do, budgets,
// which hooks listen, where commands run and where sessions are kept. Nothing is
// read from the environment.
//
// # What is promised
//
//   - The goroutine that ranges over a run owns the session while it does; what
//     others want reaches it as a message (RT-1). Parallel tools and subagents have
//     goroutines of their own, which the run waits for.
//   - What was shown was written before, but for deltas, which are a preview of the
//     message that follows (RT-11).
//   - Every tool use has one result (RT-3), in the order of the calls (RT-2).
//   - A run ends with one event of kind [EventResult], its last, however it ended
//     (RT-9). Its totals count answers that failed or were aborted, and subagents
//     (RT-8).
//   - Whatever the model can mend is told to the model (RT-10).
//   - The permission gate, the bus's tool gate and PreToolUse hooks are asked before
//     every call, a subagent's calls included (RT-33).
//
// # Order of one run
//
// SessionStart hooks (the first run), UserPromptSubmit hooks, the prompt; then turns:
// queued messages, the model, its message, its calls; when the model stops, queued
// messages again, then the Stop hooks, which may send the agent back (RT-51); at last
// the end of the run on the bus, and the result.
//
// # Background work
//
// A session with a folder for tasks and an execution context that can launch give the
// shell tool run_in_background. Otherwise the model hears nothing of it, and a call that
// asks for it all the same is an error (AC-2, AC-4). A task belongs to the agent: it
// outlives the run, an abort of it and a cancelled call (AC-38, AC-39), and ends with
// [Agent.Destroy], unless the host gave the handle (D-31).
//
// The end of a task is told once, at the start of the next run, as a block of text in
// front of the prompt; blocks stand in the order in which their tasks ended. An end that
// the model knows already, because it killed the task, waited for it, or read its output
// afterwards, is not told (AC-60 to AC-63). A resumed session knows from its rows what
// was told. [Config.OnTask] tells the host at once.
//
// There are two modes (D-04), and Config.Interactive chooses:
//
//   - Headless, the default: nothing wakes the agent. The model is told to collect its
//     tasks before it ends, is asked Behavior.MaxNudges times when it does not, and what
//     is left then is a warning for the person.
//   - Interactive: the model is told to end its turn. The host waits with
//     [Agent.WaitTasks], and starts a run without a prompt when that says so. Nothing
//     wakes an agent whose latest run did not complete, until a prompt has (D-05); the
//     ends stay in the queue.
//
// [Agent.DeliverNow] brings a message that cannot wait for a command: what runs in the
// foreground goes on as a task, whose receipt says so. It moves nothing unless
// Behavior.Handoff is set, and nothing is ever moved to save time (D-03).
//
// A subagent leaves its tasks to its parent, however it ended: those that run move to the
// parent's handle where the context can do that, the others end with the subagent, and
// ends that nobody was told of come to the parent's model (AC-91 to AC-95). Its model is
// told to give the ids in its summary.
package agentcore
