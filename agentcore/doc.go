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
package agentcore
