//go:build unix

package supervised

import (
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/stophook/stophook/execctx/internal/proc"
)

// markVariable is in the environment of every command. Its value is random and
// kept in the task's record, so that whoever has it was started by that command.
const markVariable = "STOPHOOK_TASK"

// leftovers are the processes that still run of a task whose supervisor is gone.
type leftovers struct {
	known bool  // the system could be asked, and the record is of this run of it
	group []int // in the command's process group
	away  []int // left the group, as daemons do: not ended (EX-51)
}

// search finds what runs of tasks without a supervisor. That a number is in a
// record is no proof: it may be a stranger's by now. A process is the task's when
// it carries its mark, or is in the group of a leader that started when the
// record says.
func (s *store) search(t *task) leftovers {
	if t.Place != s.here || s.here == (place{}) {
		return leftovers{}
	}
	pids, ok := everybody()
	if !ok {
		return leftovers{}
	}
	found := leftovers{known: true}
	leads := t.Process.PID != 0 && isSame(t.Process)
	for _, pid := range pids {
		p, ok := look(pid)
		switch {
		case !ok || p.dead:
		case t.inGroup(p) && (leads || marked(pid, t.Mark)):
			found.group = append(found.group, pid)
		case !t.inGroup(p) && p.start >= t.Supervisor.Start && marked(pid, t.Mark):
			found.away = append(found.away, pid)
		}
	}
	slices.Sort(found.group)
	slices.Sort(found.away)
	return found
}

// inGroup tells whether a process is in the group of the task by number. When the
// command's own number was not written down any more, its session is the
// supervisor's.
func (t *task) inGroup(p seen) bool {
	if t.Process.PID != 0 {
		return p.group == t.Process.PID
	}
	return p.session == t.Supervisor.PID
}

// isSame tells whether a process, or its zombie, is the one that was recorded.
func isSame(id processID) bool {
	p, ok := look(id.PID)
	return ok && id.Start != 0 && p.start == id.Start
}

// isOurs is asked again about a process that is held and cannot be exchanged any
// more.
func (t *task) isOurs(pid int) bool {
	p, ok := look(pid)
	return ok && t.inGroup(p) && (marked(pid, t.Mark) || t.Process.PID != 0 && isSame(t.Process))
}

// sweep ends what is left of a task: SIGTERM, after the grace SIGKILL. It gives
// what even that does not end.
func (s *store) sweep(ctx context.Context, t *task, grace time.Duration) ([]int, error) {
	begun := time.Now()
	told := map[int]bool{}
	for pause := time.Duration(0); ; pause = backOff(pause) {
		left := s.search(t)
		took := time.Since(begun)
		if len(left.group) == 0 || took > 2*grace {
			return left.group, nil
		}
		for _, pid := range left.group {
			check := func() bool { return t.isOurs(pid) }
			switch {
			case took > grace:
				signalProcess(pid, unix.SIGKILL, check)
			case !told[pid]:
				told[pid] = true
				signalProcess(pid, unix.SIGTERM, check)
				signalProcess(pid, unix.SIGCONT, check)
			}
		}
		if !sleep(ctx, backOff(pause)) {
			return left.group, context.Cause(ctx)
		}
	}
}

// explain says what is known of a lost task.
func (s *store) explain(t *task) {
	t.notes = []string{"the end of this task was not seen: " + s.cause(t)}
	if last := t.lastBeat(); last != "" {
		t.notes = append(t.notes, last)
	}
	s.mu.Lock()
	vacant := s.vacant[t.n]
	s.mu.Unlock()
	if vacant || t.otherRunThan(s.here) {
		return
	}
	left := s.search(t)
	switch {
	case !left.known:
		t.notes = append(t.notes, "whether its processes still run cannot be found out from here")
	case len(left.group)+len(left.away) == 0:
		// What is left of a task can only become less.
		s.mu.Lock()
		s.vacant[t.n] = true
		s.mu.Unlock()
	}
	if len(left.group) > 0 {
		t.notes = append(t.notes, proc.Names(left.group)+" of its process group: still running; kill the task to end what is left")
	}
	if len(left.away) > 0 {
		t.notes = append(t.notes, fmt.Sprintf("%s left its process group, as a daemon does, and still runs: it is not ended with the task", proc.Names(left.away)))
	}
}

// otherRunThan tells whether the machine was restarted since the task was started.
func (t *task) otherRunThan(here place) bool {
	return t.Place.Boot != "" && here.Boot != "" && t.Place.Boot != here.Boot
}

func (s *store) cause(t *task) string {
	switch {
	case t.otherRunThan(s.here):
		return "the machine was restarted, or the task was started on another one"
	case t.Process.PID == 0:
		return fmt.Sprintf("its supervisor, process %d, was killed as it started the command; whether the command began is not known", t.Supervisor.PID)
	default:
		return fmt.Sprintf("its supervisor, process %d, was killed; no exit code is known", t.Supervisor.PID)
	}
}
