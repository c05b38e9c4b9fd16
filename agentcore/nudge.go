package agentcore

import (
	"fmt"

	"github.com/stophook/stophook/agentcore/continuation"
	"github.com/stophook/stophook/agentcore/session"
	"github.com/stophook/stophook/execctx"
)

// mode is what follows the end of a turn with tasks left (D-04).
func (c Config) mode() continuation.Mode {
	if c.Interactive {
		return continuation.Interactive
	}
	return continuation.Headless
}

// instruction is what the system prompt says of work that goes on after a call: one
// thing, that of the mode (AC-165).
func (a *Agent) instruction() string {
	if a.cfg.Exec == nil { // it runs no commands
		return ""
	}
	return continuation.Instruction(continuation.Reader{Mode: a.cfg.mode(), Subagent: a.depth > 0, NoBackground: !a.offer.Background, Tools: a.taskTools()})
}

// taskTools are the tools for tasks that this agent really has; a text names no other.
func (a *Agent) taskTools() *continuation.Tools {
	tools := continuation.NativeTools()
	for _, name := range []*string{&tools.Wait, &tools.Read, &tools.Kill} {
		if _, ok := a.tools.Get(*name); !ok {
			*name = ""
		}
	}
	return &tools
}

// nudge asks a headless agent, once a turn, to collect the tasks that it would leave:
// nothing wakes it later (AC-159, AC-160). A subagent is not asked, since its parent gets
// its tasks. When it leaves them all the same, the person is told (AC-161, AC-162).
//
// It comes after the stop hooks have let the run go, as it would in a host that runs the
// agent again: so it never stacks on another reason to go on (AC-167).
func (r *run) nudge() (goOn bool, end *ending) {
	if r.a.depth > 0 {
		return false, nil
	}
	owed := r.a.background.owed()
	mode, limit := r.a.cfg.mode(), r.behavior.MaxNudges
	if continuation.ShouldNudge(continuation.NudgeState{Mode: mode, Ending: continuation.Success, Outstanding: len(owed), Nudges: r.nudges, MaxNudges: limit}) {
		r.nudges++
		text := continuation.NativeNudge(len(owed), owed, *r.a.taskTools())
		if _, err := r.a.thread.UserRow(session.UserRow{Meta: true, Text: text}); err != nil {
			return false, failed(fmt.Errorf("record a nudge: %w", err))
		}
		r.emit(Event{Kind: EventNudge, Text: text})
		return true, nil
	}
	notice := continuation.StrandedNotice(continuation.Stranded{Mode: mode, Outstanding: len(owed), Nudges: r.nudges, MaxNudges: limit, Tasks: owed})
	if notice == "" {
		return false, nil
	}
	if execctx.ResolveDetachedTasks(r.a.cfg.Exec) == execctx.DetachedDurable { // the next run on the session tells their end
		notice = "Tasks of this turn were not collected; they go on, and the agent is told of their end when the session is resumed:"
		for _, t := range owed {
			notice += "\n- " + t.ID + ": output in " + t.OutputPath
		}
	}
	if err := r.a.thread.System("stranded_tasks", "warning", notice); err != nil {
		return false, failed(fmt.Errorf("record a notice: %w", err))
	}
	r.warn("%s", notice)
	return false, nil
}
