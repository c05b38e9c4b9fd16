package execctx_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/stophook/stophook/execctx"
)

// model is what a context has to hold, in the most naive way: one step after the
// other, each at once.
type model struct {
	tasks []modelTask // the nth has the id n+1
}

type modelTask struct {
	owner    string // empty: destroyed
	stubborn bool
	end      string // empty: it runs
}

// apply does one step when nothing else happens.
func (m *model) apply(s step, handles []execctx.Handle) {
	h, to := handles[s.Handle].ID, handles[s.To].ID
	var task *modelTask
	if s.Task < len(m.tasks) {
		task = &m.tasks[s.Task]
	}
	switch {
	case s.Do == "launch" || s.Do == "fail" && s.Stubborn:
		m.tasks = append(m.tasks, modelTask{owner: h, stubborn: s.Stubborn})
	case s.Do == "exit" && task != nil && task.end == "":
		task.end = fmt.Sprint(execctx.StatusExited, s.To)
	case s.Do == "kill" && task != nil && task.owner == h && task.end == "":
		task.end = fmt.Sprint(execctx.StatusKilled, 143)
		if task.stubborn {
			task.end = fmt.Sprint(execctx.StatusKilled, 137)
		}
	case s.Do == "reassign":
		for i := range m.tasks {
			if m.tasks[i].owner == h && m.tasks[i].end == "" {
				m.tasks[i].owner = to
			}
		}
	case s.Do == "destroy":
		for i := range m.tasks {
			if m.tasks[i].owner == h {
				m.tasks[i] = modelTask{end: "gone"}
			}
		}
	}
}

func (m *model) list(h execctx.Handle) string {
	var all []string
	for n, task := range m.tasks {
		if task.owner == h.ID {
			all = append(all, execctx.TaskID(n+1)+" "+task.end)
		}
	}
	return strings.Join(all, ", ")
}

// follow takes over what a race of steps came to, which no model can foretell.
func (m *model) follow(r *race) {
	started := r.fs.list()
	m.tasks = make([]modelTask, len(started))
	for n, f := range started {
		m.tasks[n] = modelTask{stubborn: f.slow, end: "gone"}
	}
	for _, h := range r.handles {
		entries, _ := r.c.ListBackground(context.Background(), h)
		for _, entry := range entries {
			n, _ := execctx.ParseTaskID(entry.TaskID)
			m.tasks[n-1].owner, m.tasks[n-1].end = h.ID, endOf(entry)
		}
	}
}

func endOf(entry execctx.TaskEntry) string {
	if !entry.Ended() {
		return ""
	}
	return fmt.Sprint(entry.Status, *entry.ExitCode)
}

// compare holds the lists of a context against the model.
func (m *model) compare(r *race, after step) {
	for _, h := range r.handles {
		var all []string
		entries, _ := r.c.ListBackground(context.Background(), h)
		for _, entry := range entries {
			all = append(all, entry.TaskID+" "+endOf(entry))
		}
		if got, want := strings.Join(all, ", "), m.list(h); got != want {
			r.faultf("after %+v %s has %q, want %q", after, h.ID, got, want)
		}
	}
}
