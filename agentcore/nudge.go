package agentcore

import (
	"fmt"
	"strings"

	"github.com/stophook/stophook/agentcore/session"
)

// nudge asks a headless agent, once a turn, to collect the tasks that it would leave:
// nothing wakes it later (AC-159, AC-160). A subagent is not asked, since its parent gets
// its tasks. When it leaves them all the same, the person is told (AC-161, AC-162).
func (r *run) nudge() (goOn bool, end *ending) {
	owed := r.a.background.owed()
	if r.a.cfg.Interactive || r.a.depth > 0 || len(owed) == 0 {
		return false, nil
	}
	if r.behavior.MaxNudges < 0 {
		return false, nil
	}
	if r.nudges >= r.behavior.MaxNudges {
		return false, r.stranded(owed)
	}
	r.nudges++
	if _, err := r.a.thread.UserRow(session.UserRow{Meta: true, Text: nudgeText(owed)}); err != nil {
		return false, failed(err)
	}
	r.emit(Event{Kind: EventNotice, Text: "the agent was asked to collect " + tasksOf(owed)})
	return true, nil
}

func nudgeText(owed []string) string {
	return fmt.Sprintf("You ended your turn, and %s that you started still ran, or ended without your looking at it. "+
		"Nothing resumes a turn here, so collect it now: wait_task with its id waits and tells how it ended, read_file of its output file shows what it wrote, "+
		"shell_kill ends it. Then finish the work that depends on it. If nothing is left to do, end it and say so in one line.", tasksOf(owed))
}

// stranded tells the person of tasks that nobody will pick up.
func (r *run) stranded(owed []string) *ending {
	text := fmt.Sprintf("%s of this turn %s left behind, and nothing will pick %s up: send another message, or look in %s.", tasksOf(owed),
		choose(len(owed), "was", "were"), choose(len(owed), "it", "them"), r.a.cfg.Session.TasksDir())
	if err := r.a.thread.System("stranded_tasks", "warning", text); err != nil {
		return failed(err)
	}
	r.warn("%s", text)
	return nil
}

func tasksOf(ids []string) string {
	return choose(len(ids), "task ", "tasks ") + strings.Join(ids, ", ")
}

func choose(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
