package execctx

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// mockProc is a command that is pretended: a task, a foreground command, or one
// that became the other. The lock of the state guards it.
type mockProc struct {
	owner *mockHandle
	exec  string // id in the foreground
	run   MockRun
	// task is set for a background task, from its launch or its move on.
	task bool
	// starting: its launch has not been decided; it is not listed yet.
	starting  bool
	startedAt time.Time
	file      *mockFile
	maxBytes  int64
	written   int64

	status  TaskStatus
	asked   bool // SIGTERM was sent by us
	exit    ExitInfo
	endedAt time.Time
	done    chan struct{} // closed after the callback returned (D-24)

	onExit       func(ExitInfo)
	onStall      func(StallInfo)
	stallTimeout time.Duration
	quietSince   time.Time

	script MockScript
	timers struct{ script, grace, stall, timeout *mockTimer }
	await  string    // the file that the script waits for
	resume func()    // goes on with it
	call   *mockCall // in the foreground
}

// play runs the script from step i on. The lock is held.
func (m *Mock) play(p *mockProc, i int) {
	s := m.state
	for ; i < len(p.script.Steps); i++ {
		step := p.script.Steps[i]
		if step.AwaitFile != "" {
			if name := m.abs(p.run.CWD, step.AwaitFile); s.files.files[name] == nil {
				p.await, p.resume = name, func() { m.play(p, i) }
				return
			}
		}
		if step.After > 0 {
			p.timers.script = s.timers.after(s, step.After, func() {
				s.mu.Lock()
				defer s.mu.Unlock()
				if p.status == StatusRunning {
					m.print(p, step.Print)
					m.play(p, i+1)
				}
			})
			return
		}
		m.print(p, step.Print)
	}
	if exit := p.script.Exit; exit != nil {
		p.timers.script = s.timers.after(s, exit.After, func() { m.settle(p, *exit) })
	}
}

// wrote lets scripts go on that wait for a file. The lock is held.
func (s *mockState) wrote(name string) {
	waiting := slices.Clone(s.tasks)
	for _, owner := range s.handles {
		waiting = append(waiting, owner.execs...)
	}
	slices.SortFunc(waiting, func(a, b *mockProc) int { return cmp.Compare(a.run.PID, b.run.PID) })
	for _, p := range waiting {
		if p.await == name && p.status == StatusRunning {
			p.await = ""
			p.resume()
		}
	}
}

// print appends output. The lock is held.
func (m *Mock) print(p *mockProc, text string) {
	if text == "" {
		return
	}
	p.written += int64(len(text))
	if p.maxBytes > 0 {
		text = text[:min(int64(len(text)), max(p.maxBytes-int64(len(p.file.data)), 0))]
	}
	p.file.data = append(p.file.data, text...)
	p.quietSince = m.opts.Clock.Now()
	if p.timers.stall != nil {
		p.timers.stall.reset(p.stallTimeout)
	}
}

// watch starts the watchdog, from now on. The lock is held.
func (m *Mock) watch(p *mockProc) {
	p.quietSince = m.opts.Clock.Now()
	if p.stallTimeout > 0 {
		p.timers.stall = m.state.timers.after(m.state, p.stallTimeout, func() { m.stall(p) })
	}
}

// stall tells a quiet period, unless the task is over.
func (m *Mock) stall(p *mockProc) bool {
	s := m.state
	s.mu.Lock()
	tell := p.onStall
	if p.status != StatusRunning || !p.task || tell == nil || !m.pushes() {
		s.mu.Unlock()
		return false
	}
	now := m.opts.Clock.Now()
	info := StallInfo{
		TaskID: p.run.ID, Command: p.run.Command, OutputPath: p.run.OutputPath,
		StalledForMS: max(now.Sub(p.quietSince), 0).Milliseconds(), At: now,
	}
	s.mu.Unlock()
	tell(info)
	return true
}

// terminate sends SIGTERM, once.
func (m *Mock) terminate(p *mockProc) {
	s := m.state
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.asked || p.status != StatusRunning {
		return
	}
	p.asked = true
	term := p.script.Term
	if term == nil {
		go m.settle(p, MockExit{Signal: "SIGTERM"})
		return
	}
	p.timers.grace = s.timers.after(s, m.opts.KillGrace, func() { m.settle(p, MockExit{Signal: "SIGKILL"}) })
	if term.Ignore {
		return
	}
	p.timers.script.stop()
	p.await = ""
	m.print(p, term.Print)
	exit := MockExit{Signal: "SIGTERM"}
	if term.Exit != nil {
		exit = *term.Exit
	}
	if exit.After == 0 {
		go m.settle(p, exit)
		return
	}
	p.timers.script = s.timers.after(s, exit.After, func() { m.settle(p, exit) })
}

// settle is the one end of a command. In the order of EX-41 and D-24: the log is
// complete, the status flips, the callback runs, those who wait go on. It is
// false when the command had ended before.
func (m *Mock) settle(p *mockProc, exit MockExit) bool {
	s := m.state
	s.mu.Lock()
	if p.status != StatusRunning {
		s.mu.Unlock()
		return false
	}
	for _, t := range []*mockTimer{p.timers.script, p.timers.grace, p.timers.stall, p.timers.timeout} {
		t.stop()
	}
	p.timers.stall = nil
	m.print(p, exit.Print)
	if dropped := p.written - int64(len(p.file.data)); dropped > 0 {
		p.file.data = append(p.file.data, TruncatedMarker(dropped)...)
	}
	p.endedAt = exit.EndedAt
	if p.endedAt.IsZero() {
		p.endedAt = m.opts.Clock.Now()
	}
	switch {
	case exit.Lost:
		p.status = StatusLost
	case exit.Signal != "" || p.asked:
		p.status = StatusKilled // D-41
	default:
		p.status = StatusExited
	}
	p.exit = p.info()
	p.exit.DurationMS = max(p.endedAt.Sub(p.startedAt), 0).Milliseconds()
	p.exit.ExitCode, p.exit.Warnings = exit.code(), exit.Warnings
	if !exit.Lost {
		p.exit.Signal = exit.Signal
	}
	tell := p.onExit
	if !p.task || !m.pushes() {
		tell = nil
	}
	if p.call != nil {
		p.owner.execs = slices.DeleteFunc(p.owner.execs, func(o *mockProc) bool { return o == p })
		p.call.finish(p)
	}
	info := copyExit(p.exit)
	s.mu.Unlock()
	if tell != nil {
		tell(info)
	}
	close(p.done)
	return true
}

// await waits until p is over and told.
func (m *Mock) await(ctx context.Context, p *mockProc) error {
	select {
	case <-p.done:
		return nil
	default:
	}
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// info is the exit as known now. The lock is held.
func (p *mockProc) info() ExitInfo {
	if p.exit.TaskID != "" {
		return copyExit(p.exit)
	}
	return ExitInfo{TaskID: p.run.ID, Status: p.status, OutputPath: p.run.OutputPath, Command: p.run.Command}
}

// entry is the task as listed. The lock is held.
func (p *mockProc) entry() TaskEntry {
	return TaskEntry{
		ExitInfo: p.info(), HandleID: p.owner.ID, PID: p.run.PID, CWD: p.run.CWD,
		StartedAt: p.startedAt, EndedAt: p.endedAt, BytesWritten: p.written,
	}
}

// copyExit gives a caller an exit of its own, which it may change (EX-12).
func copyExit(e ExitInfo) ExitInfo {
	if e.ExitCode != nil {
		code := *e.ExitCode
		e.ExitCode = &code
	}
	e.Warnings = slices.Clone(e.Warnings)
	return e
}
