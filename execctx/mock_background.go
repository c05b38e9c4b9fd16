package execctx

import (
	"context"
	"errors"
	"maps"
	"path"
	"slices"
	"time"
)

// ExecBackground implements [BackgroundExecutor].
func (m *Mock) ExecBackground(ctx context.Context, h Handle, req LaunchRequest) (Launched, error) {
	err := m.enter(ctx, MockCall{Seam: MockSeamLaunch, Handle: h, Command: req.Command, Request: req})
	if err == nil {
		err = context.Cause(ctx)
	}
	if err == nil && req.OutputDir == "" {
		err = &LaunchError{Command: req.Command, Op: "create the log file", Err: errors.New("no output directory given")}
	}
	if err != nil {
		return Launched{}, launchError(req.Command, err)
	}
	p, err := m.register(h, req)
	if err != nil {
		return Launched{}, err
	}
	var script MockScript
	if m.opts.OnLaunch != nil {
		script = m.opts.OnLaunch(p.run)
	}
	s := m.state
	s.mu.Lock()
	defer s.mu.Unlock()
	if script.Err != nil {
		m.forget(p)
		return Launched{}, launchError(req.Command, script.Err)
	}
	p.starting, p.script = false, script
	if p.status == StatusRunning {
		m.play(p, 0)
	}
	return p.launched(), nil
}

func (p *mockProc) launched() Launched {
	return Launched{TaskID: p.run.ID, OutputPath: p.run.OutputPath, PID: p.run.PID, StartedAt: p.startedAt}
}

// launchError gives errors of a launch their type.
func launchError(command string, err error) error {
	var launch *LaunchError
	var many *TooManyTasksError
	if errors.As(err, &launch) || errors.As(err, &many) || errors.Is(err, ErrUnknownHandle) {
		return err
	}
	return &LaunchError{Command: command, Op: "start the command", Err: err}
}

// register makes the task with its id and its log.
func (m *Mock) register(h Handle, req LaunchRequest) (*mockProc, error) {
	s := m.state
	s.mu.Lock()
	defer s.mu.Unlock()
	owner, err := s.owner(h)
	if err != nil {
		return nil, err
	}
	if err := m.room(); err != nil {
		return nil, err
	}
	if err := s.files.canMake(m.abs(owner.CWD, req.OutputDir)); err != nil {
		return nil, &LaunchError{Command: req.Command, Op: "create the output directory", Err: err}
	}
	p := m.newProc(owner, req.Command, req.CWD, req.Env)
	p.starting, p.maxBytes = true, req.MaxOutputBytes
	m.makeTask(p, req.OutputDir)
	p.onExit, p.onStall, p.stallTimeout = req.OnExit, req.OnStall, req.StallTimeout
	m.watch(p)
	return p, nil
}

// forget undoes register. An id that nobody came after is given again.
func (m *Mock) forget(p *mockProc) {
	s := m.state
	p.timers.stall.stop()
	s.files.remove(p.run.OutputPath)
	s.tasks = slices.DeleteFunc(s.tasks, func(o *mockProc) bool { return o == p })
	if p.run.ID == TaskID(s.lastID.task) {
		s.lastID.task--
	}
	if p.status == StatusRunning {
		p.status = StatusLost // nothing can end it any more
		close(p.done)
	}
}

// room is the limit of running tasks.
func (m *Mock) room() error {
	var running []string
	for _, p := range m.state.tasks {
		if p.status == StatusRunning {
			running = append(running, p.run.ID)
		}
	}
	if m.opts.MaxBackgroundTasks < 0 || len(running) < m.opts.MaxBackgroundTasks {
		return nil
	}
	return &TooManyTasksError{Limit: m.opts.MaxBackgroundTasks, Running: running}
}

func (m *Mock) newProc(owner *mockHandle, command, cwd string, env map[string]string) *mockProc {
	s := m.state
	s.lastID.pid++
	all := maps.Clone(owner.env)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, env)
	now := m.opts.Clock.Now()
	return &mockProc{
		owner: owner, status: StatusRunning, startedAt: now, quietSince: now,
		file: &mockFile{}, done: make(chan struct{}),
		run: MockRun{Handle: owner.Handle, PID: 10000 + s.lastID.pid, Command: command, CWD: m.abs(owner.CWD, cwd), Env: all},
	}
}

// makeTask gives p an id and a place for its log.
func (m *Mock) makeTask(p *mockProc, outputDir string) {
	s := m.state
	s.lastID.task++
	p.task = true
	p.run.ID, p.run.Foreground = TaskID(s.lastID.task), false
	p.run.OutputPath = path.Join(m.abs(p.owner.CWD, outputDir), LogName(p.run.ID, m.stamp))
	s.files.put(p.run.OutputPath, p.file)
	s.tasks = append(s.tasks, p)
}

// find gives a task of the handle, or nothing.
func (s *mockState) find(h Handle, taskID string) *mockProc {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.tasks {
		if p.run.ID == taskID && p.owner.ID == h.ID && !p.owner.destroyed && !p.starting {
			return p
		}
	}
	return nil
}

// KillBackground implements [BackgroundKiller].
func (m *Mock) KillBackground(ctx context.Context, h Handle, taskID string) (*ExitInfo, error) {
	if err := m.enter(ctx, MockCall{Seam: MockSeamKill, Handle: h, TaskID: taskID}); err != nil {
		return nil, err
	}
	p := m.state.find(h, taskID)
	if p == nil {
		return nil, nil
	}
	m.terminate(p)
	if err := m.await(ctx, p); err != nil {
		return nil, err
	}
	return m.ended(p), nil
}

func (m *Mock) ended(p *mockProc) *ExitInfo {
	m.state.mu.Lock()
	defer m.state.mu.Unlock()
	info := copyExit(p.exit)
	return &info
}

// ListBackground implements [BackgroundLister].
func (m *Mock) ListBackground(ctx context.Context, h Handle) ([]TaskEntry, error) {
	if err := m.enter(ctx, MockCall{Seam: MockSeamList, Handle: h}); err != nil {
		return nil, err
	}
	s := m.state
	s.mu.Lock()
	defer s.mu.Unlock()
	var entries []TaskEntry
	for _, p := range s.tasks {
		if p.owner.ID == h.ID && !p.owner.destroyed && !p.starting {
			entries = append(entries, p.entry())
		}
	}
	return entries, nil
}

// WaitBackground implements [BackgroundWaiter].
func (m *Mock) WaitBackground(ctx context.Context, h Handle, taskID string, timeout time.Duration) (*ExitInfo, error) {
	if err := m.enter(ctx, MockCall{Seam: MockSeamWait, Handle: h, TaskID: taskID, Request: timeout}); err != nil {
		if ctx.Err() != nil {
			return nil, nil
		}
		return nil, err
	}
	p := m.state.find(h, taskID)
	if p == nil {
		return nil, nil
	}
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		defer cancel()
		s := m.state
		s.mu.Lock()
		timer := s.timers.after(s, timeout, cancel)
		s.mu.Unlock()
		defer func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			timer.stop()
		}()
	}
	if m.await(ctx, p) != nil {
		return nil, nil
	}
	return m.ended(p), nil
}

// ReassignBackground implements [BackgroundReassigner].
func (m *Mock) ReassignBackground(ctx context.Context, req ReassignRequest) ([]TaskEntry, error) {
	if err := m.enter(ctx, MockCall{Seam: MockSeamReassign, Handle: req.From, Request: req}); err != nil {
		return nil, err
	}
	s := m.state
	s.mu.Lock()
	defer s.mu.Unlock()
	from, err := s.owner(req.From)
	if err != nil {
		return nil, err
	}
	to, err := s.owner(req.To)
	if err != nil {
		return nil, err
	}
	partly := s.partly
	s.partly = nil
	var moved []TaskEntry
	for _, p := range s.tasks {
		if p.owner != from || p.status != StatusRunning || p.starting {
			continue
		}
		if partly != nil && len(moved) == partly.moved {
			return moved, partly.err
		}
		p.owner, p.onExit, p.onStall = to, req.OnExit, req.OnStall
		moved = append(moved, p.entry())
	}
	if partly != nil {
		return moved, partly.err
	}
	return moved, nil
}
