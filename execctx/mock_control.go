package execctx

import (
	"cmp"
	"slices"
)

// Print appends output to a running command: of a task by its id, of a
// foreground command by that of its [MockRun]. It is false when there is no such
// command, or it is over.
func (m *Mock) Print(id, text string) bool {
	p := m.state.named(id)
	if p == nil {
		return false
	}
	m.state.mu.Lock()
	defer m.state.mu.Unlock()
	if p.status != StatusRunning {
		return false
	}
	m.print(p, text)
	return true
}

// Exit ends a running command, named as in [Mock.Print]. It returns after the
// exit callback did; it is false, at once, when there is no such command or it
// has ended before.
func (m *Mock) Exit(id string, exit MockExit) bool {
	p := m.state.named(id)
	if p == nil {
		return false
	}
	ended := make(chan bool)
	go func() { ended <- m.settle(p, exit) }()
	return <-ended
}

// Stall tells the task's owner that it has been quiet, whatever its window, for
// as long as it has been. It is false when nobody is to be told.
func (m *Mock) Stall(taskID string) bool {
	p := m.state.named(taskID)
	return p != nil && m.stall(p)
}

// Running gives the ids of what runs: tasks in order, then foreground commands.
func (m *Mock) Running() []string {
	s := m.state
	s.mu.Lock()
	defer s.mu.Unlock()
	var ids []string
	for _, p := range s.tasks {
		if p.status == StatusRunning {
			ids = append(ids, p.run.ID)
		}
	}
	var execs []*mockProc
	for _, owner := range s.handles {
		execs = append(execs, owner.execs...)
	}
	slices.SortFunc(execs, func(a, b *mockProc) int { return cmp.Compare(a.run.PID, b.run.PID) })
	for _, p := range execs {
		ids = append(ids, p.exec)
	}
	return ids
}

// named finds a command by its id; a moved one has two.
func (s *mockState) named(id string) *mockProc {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.tasks {
		if p.run.ID == id || p.exec == id && id != "" {
			return p
		}
	}
	for _, owner := range s.handles {
		for _, p := range owner.execs {
			if p.exec == id {
				return p
			}
		}
	}
	return nil
}
