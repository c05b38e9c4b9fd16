package execctx

import (
	"context"
	"errors"
	"slices"
	"strconv"
)

// mockCall is a foreground command of a [Mock].
type mockCall struct {
	mock *Mock
	proc *mockProc
	req  ExecRequest
	stop func() bool   // stops watching ctx
	over chan struct{} // closed with result and err set

	timedOut bool
	canceled error
	result   ExecResult
	err      error
}

// Exec implements [Executor].
func (m *Mock) Exec(ctx context.Context, h Handle, req ExecRequest) (ExecResult, error) {
	call, err := m.start(ctx, h, req, MockSeamExec)
	if err != nil {
		return ExecResult{}, err
	}
	return call.Result()
}

// StartExec implements [ForegroundStarter].
func (m *Mock) StartExec(ctx context.Context, h Handle, req ExecRequest) (ForegroundCall, error) {
	call, err := m.start(ctx, h, req, MockSeamStartExec)
	if err != nil {
		return nil, err
	}
	return call, nil
}

func (m *Mock) start(ctx context.Context, h Handle, req ExecRequest, seam MockSeam) (*mockCall, error) {
	if err := m.enter(ctx, MockCall{Seam: seam, Handle: h, Command: req.Command, Request: req}); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	s := m.state
	s.mu.Lock()
	owner, err := s.owner(h)
	if err != nil {
		s.mu.Unlock()
		return nil, err
	}
	p := m.newProc(owner, req.Command, req.CWD, req.Env)
	s.lastID.exec++
	p.exec = "exec_" + strconv.Itoa(s.lastID.exec)
	p.run.ID, p.run.Foreground = p.exec, true
	call := &mockCall{mock: m, proc: p, req: req, over: make(chan struct{})}
	p.call = call
	owner.execs = append(owner.execs, p)
	s.mu.Unlock()

	script := MockScript{Exit: &MockExit{}}
	if m.opts.OnExec != nil {
		script = m.opts.OnExec(p.run)
	}
	if script.Err != nil {
		m.settle(p, MockExit{Lost: true})
		return nil, &LaunchError{Command: req.Command, Op: "start the command", Err: script.Err}
	}
	call.begin(ctx, script)
	return call, nil
}

// begin plays the script and watches ctx and the timeout. A script without any
// delay is over when begin returns: nobody needs to move a clock for it.
func (c *mockCall) begin(ctx context.Context, script MockScript) {
	m, p := c.mock, c.proc
	s := m.state
	s.mu.Lock()
	p.script = script
	if p.status != StatusRunning {
		s.mu.Unlock()
		return
	}
	instant := script.Exit != nil && script.Exit.After == 0 &&
		!slices.ContainsFunc(script.Steps, func(step MockStep) bool { return step.After > 0 || step.AwaitFile != "" })
	if instant {
		p.script.Exit = nil
	}
	m.play(p, 0)
	if instant {
		s.mu.Unlock()
		m.settle(p, *script.Exit)
		return
	}
	if c.req.Timeout > 0 {
		p.timers.timeout = s.timers.after(s, c.req.Timeout, func() { c.end(func() { c.timedOut = true }) })
	}
	c.stop = context.AfterFunc(ctx, func() { c.end(func() { c.canceled = context.Cause(ctx) }) })
	s.mu.Unlock()
}

// end terminates the command while it is in the foreground.
func (c *mockCall) end(mark func()) {
	s := c.mock.state
	s.mu.Lock()
	live := c.proc.status == StatusRunning && c.proc.call == c
	if live {
		mark()
	}
	s.mu.Unlock()
	if live {
		c.mock.terminate(c.proc)
	}
}

// finish is the end in the foreground. The lock is held.
func (c *mockCall) finish(p *mockProc) {
	if c.stop != nil {
		c.stop()
	}
	c.result = c.soFar(p)
	c.result.ExitCode, c.result.Signal, c.result.Warnings = p.exit.ExitCode, p.exit.Signal, p.exit.Warnings
	c.result.DurationMS, c.result.TimedOut = p.exit.DurationMS, c.timedOut
	c.err = c.canceled
	close(c.over)
}

// soFar is the output within the limit, head and tail.
func (c *mockCall) soFar(p *mockProc) ExecResult {
	kept := newCapture(c.req.MaxOutputBytes)
	_, _ = kept.Write(p.file.data)
	out, dropped := kept.output()
	return ExecResult{Output: out, DroppedBytes: dropped}
}

func (c *mockCall) PID() int { return c.proc.run.PID }

func (c *mockCall) Done() <-chan struct{} { return c.over }

func (c *mockCall) Result() (ExecResult, error) {
	<-c.over
	return c.result, c.err
}

func (c *mockCall) Move(req MoveRequest) (Launched, error) {
	m, p := c.mock, c.proc
	err := m.enter(context.Background(), MockCall{Seam: MockSeamMove, Handle: p.run.Handle, TaskID: p.exec, Command: p.run.Command, Request: req})
	if err != nil {
		return Launched{}, err
	}
	s := m.state
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case p.status != StatusRunning || p.asked || p.call == nil:
		return Launched{}, ErrEnded
	case c.req.OutputDir == "":
		return Launched{}, ErrNotMovable
	}
	if _, err := s.owner(p.owner.Handle); err != nil {
		return Launched{}, errors.Join(ErrEnded, err)
	}
	if err := m.room(); err != nil {
		return Launched{}, err
	}
	if c.stop != nil {
		c.stop()
	}
	p.timers.timeout.stop()
	p.owner.execs = slices.DeleteFunc(p.owner.execs, func(o *mockProc) bool { return o == p })
	c.result = c.soFar(p)
	c.result.DurationMS = max(m.opts.Clock.Now().Sub(p.startedAt), 0).Milliseconds()
	p.call = nil
	p.onExit, p.onStall, p.stallTimeout = req.OnExit, req.OnStall, req.StallTimeout
	if p.maxBytes = req.MaxOutputBytes; p.maxBytes > 0 {
		p.file.data = p.file.data[:min(int64(len(p.file.data)), p.maxBytes)]
	}
	m.makeTask(p, c.req.OutputDir)
	quiet := p.quietSince
	m.watch(p)
	p.quietSince = quiet
	launched := p.launched()
	c.result.Moved = &launched
	close(c.over)
	return launched, nil
}
