package continuation

import (
	"slices"
	"time"
)

// Ledger is the background work of one turn where tasks have ids and ends are
// known (D-08). A debt is paid by knowing how its task ended, and by nothing else:
//
//   - Outcome: a wait or a kill that returned the exit, or a notification that the
//     model was given (D-09).
//   - Read: a read of the output file that began after the task had ended. Before
//     that, output says nothing of the end.
//
// A wait that timed out, a poll of a running task and a notice of a stall are not
// told to it. Every payment is for the task that it names; a payment of a task
// that is not owed is dropped, and never kept for a later one.
//
// The zero value is ready. A nil *Ledger records nothing and owes nothing. Not safe
// for concurrent use.
type Ledger struct {
	entries []entry // in order of launch
}

type entry struct {
	task  Task
	ended time.Time // zero: not known to have ended
	read  time.Time // when the latest read of its output began
	paid  bool
}

// Launch says that the turn has a task to answer for: it started it, or took it over
// from a subagent (AC-91). Ids begin anew with every context, so the output file
// counts too (D-22). A launch that was told before changes nothing.
func (l *Ledger) Launch(t Task) {
	if l == nil || t.ID == "" {
		return
	}
	for _, e := range l.entries {
		if e.task.ID == t.ID && e.task.OutputPath == t.OutputPath && (t.OutputPath != "" || !e.paid) {
			return
		}
	}
	l.entries = append(l.entries, entry{task: t})
}

// Exit says when a task ended, which is not to say that the agent knows. It pays only
// where a read that began later was told before it, as happens when an end is noticed
// late (D-24).
func (l *Ledger) Exit(id, outputPath string, at time.Time) {
	if e := l.find(id, outputPath); e != nil && e.ended.IsZero() {
		e.ended = at
		e.settle()
	}
}

// Outcome says that the agent was told how a task ended, and tells whether that
// paid a debt. The output path may be empty where it is not known: it is then the
// latest task of that id.
func (l *Ledger) Outcome(id, outputPath string) bool {
	e := l.find(id, outputPath)
	if e == nil || e.paid {
		return false
	}
	e.paid = true
	return true
}

// Read says that the agent read a file, successfully, and when it began to. It
// tells whether that paid a debt: the file is a task's output, and the task had
// ended before (strictly, as for notifications: AC-62).
func (l *Ledger) Read(path string, began time.Time) bool {
	if l == nil || path == "" {
		return false
	}
	for i := range l.entries {
		e := &l.entries[i]
		if e.task.OutputPath != path || e.paid {
			continue
		}
		if began.After(e.read) {
			e.read = began
		}
		e.settle()
		return e.paid
	}
	return false
}

// settle pays by a read that began after the end.
func (e *entry) settle() {
	e.paid = e.paid || !e.ended.IsZero() && e.read.After(e.ended)
}

// Hand takes a task out of the ledger: somebody else answers for it now, as when a
// subagent ends and its caller takes its tasks. It tells whether it was owed.
func (l *Ledger) Hand(id, outputPath string) bool { return l.Outcome(id, outputPath) }

// Outstanding is how many tasks the turn owes.
func (l *Ledger) Outstanding() int { return len(l.Owed()) }

// Owed are the tasks that the turn owes, in order of launch.
func (l *Ledger) Owed() []Task {
	if l == nil {
		return nil
	}
	var owed []Task
	for _, e := range l.entries {
		if !e.paid {
			owed = append(owed, e.task)
		}
	}
	return owed
}

// find is the task with an id, and that output file when it is given, the latest
// launch first; nil when there is none.
func (l *Ledger) find(id, outputPath string) *entry {
	if l == nil {
		return nil
	}
	for i := range slices.Backward(l.entries) {
		if e := &l.entries[i]; e.task.ID == id && (outputPath == "" || e.task.OutputPath == outputPath) {
			return e
		}
	}
	return nil
}
