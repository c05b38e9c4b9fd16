package execctx

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"
)

// MockOptions sets up a [Mock]. The zero value pushes, states no capability and
// has every ability.
type MockOptions struct {
	// Clock tells the time and runs what scripts declare; nil: [SystemClock],
	// which is the bubble's time under testing/synctest. With it no two events
	// of a mock fall on one instant: they are set apart by nanoseconds.
	Clock Clock
	// Type is that of the handles; empty: mock.
	Type string
	// CWD is that of handles that give none; empty: /mock.
	CWD string
	// DetachedTasks is the capability to state; empty: none is stated (D-13).
	DetachedTasks DetachedTasks
	// Pull: exits and stalls are never told, so they must be found by listing
	// or waiting (EX-4). Durable implies it (EX-80).
	Pull bool
	// Hide lists abilities to switch off, as nil pointers to their interfaces:
	// (*BackgroundKiller)(nil).
	Hide []any
	// MaxBackgroundTasks limits the running tasks; 0:
	// [DefaultMaxBackgroundTasks], negative: no limit (D-14).
	MaxBackgroundTasks int
	// KillGrace is the time between SIGTERM and SIGKILL; 0: 5 s (D-15).
	KillGrace time.Duration

	// OnLaunch declares what a task will do; nil: it is silent and runs until
	// the test or a kill ends it. It may call methods of the mock.
	OnLaunch func(MockRun) MockScript
	// OnExec declares what a foreground command will do; nil: it is silent and
	// exits with 0 at once.
	OnExec func(MockRun) MockScript
	// OnCall is called at the beginning of every call, and its error ends the
	// call. It may block, and should then heed ctx.
	OnCall func(ctx context.Context, call MockCall) error
}

// Mock is a context for tests. It runs nothing: its tasks print, fall silent and
// end when the test says so ([Mock.Print], [Mock.Exit], [Mock.Stall]) or as a
// script declares; its files are in memory, the logs among them; each call can
// be made to fail or to hang ([Mock.Fail], [Mock.Hang]) and is recorded
// ([Mock.Calls]). In all else it keeps the contract (EX-70, EX-71).
type Mock struct {
	opts  MockOptions
	stamp string
	state *mockState
}

// mockState is what a mock holds, shared by those that were reopened from it.
type mockState struct {
	mu      sync.Mutex // never held across a callback or a wait
	handles map[string]*mockHandle
	tasks   []*mockProc // in the order of ids, of all handles
	lastID  struct{ handle, task, exec, pid int }
	files   mockFiles
	faults  map[MockSeam]*mockFault
	calls   []MockCall
	partly  *mockPartly
	timers  mockTimers
}

// mockHandle is one owner. It outlives its destruction until everything ended.
type mockHandle struct {
	Handle
	env       map[string]string
	execs     []*mockProc // foreground, running; their own registry (EX-14)
	destroyed bool
}

var (
	_ ExecutionContext     = (*Mock)(nil)
	_ BackgroundExecutor   = (*Mock)(nil)
	_ BackgroundKiller     = (*Mock)(nil)
	_ BackgroundLister     = (*Mock)(nil)
	_ BackgroundWaiter     = (*Mock)(nil)
	_ BackgroundReassigner = (*Mock)(nil)
	_ ForegroundStarter    = (*Mock)(nil)
	_ Hider                = (*Mock)(nil)
)

// NewMock gives a mock without handles.
func NewMock(opts MockOptions) *Mock {
	if opts.Clock == nil {
		opts.Clock = SystemClock{}
	}
	if opts.Type == "" {
		opts.Type = "mock"
	}
	if opts.CWD == "" {
		opts.CWD = "/mock"
	}
	if opts.MaxBackgroundTasks == 0 {
		opts.MaxBackgroundTasks = DefaultMaxBackgroundTasks
	}
	if opts.KillGrace == 0 {
		opts.KillGrace = 5 * time.Second
	}
	state := &mockState{
		handles: map[string]*mockHandle{},
		files:   newMockFiles(),
		faults:  map[MockSeam]*mockFault{},
	}
	_, system := opts.Clock.(SystemClock)
	state.timers = mockTimers{clock: opts.Clock, spread: system, taken: map[int64]bool{}}
	return &Mock{opts: opts, stamp: FormatStamp(opts.Clock.Now()), state: state}
}

// Reopen gives what a new process sees that opens the store of a durable
// context: the handles, tasks and files of m, under a stamp of its own. Scripts,
// faults and calls are shared.
func (m *Mock) Reopen() *Mock {
	return &Mock{opts: m.opts, stamp: FormatStamp(m.opts.Clock.Now()), state: m.state}
}

// Capabilities implements [Lifecycle].
func (m *Mock) Capabilities() Capabilities {
	return Capabilities{DetachedTasks: m.opts.DetachedTasks, Push: m.pushes()}
}

func (m *Mock) pushes() bool { return !m.opts.Pull && m.opts.DetachedTasks != DetachedDurable }

// Hides implements [Hider] for the abilities in MockOptions.Hide.
func (m *Mock) Hides(ability any) bool { return slices.Contains(m.opts.Hide, ability) }

// Spawn implements [Lifecycle].
func (m *Mock) Spawn(ctx context.Context, cfg SpawnConfig) (Handle, error) {
	if err := m.enter(ctx, MockCall{Seam: MockSeamSpawn, Handle: Handle{ID: cfg.HandleID}, Request: cfg}); err != nil {
		return Handle{}, err
	}
	if ctx.Err() != nil {
		return Handle{}, context.Cause(ctx)
	}
	s := m.state
	s.mu.Lock()
	defer s.mu.Unlock()
	id := cfg.HandleID
	for id == "" {
		s.lastID.handle++
		if next := "mock_" + strconv.Itoa(s.lastID.handle); s.handles[next] == nil {
			id = next
		}
	}
	cwd := m.abs(m.opts.CWD, cfg.CWD)
	s.files.makeDir(cwd)
	h := s.handles[id]
	if h == nil || h.destroyed {
		h = &mockHandle{}
		s.handles[id] = h
	}
	h.Handle, h.env = Handle{ID: id, Type: m.opts.Type, CWD: cwd}, cfg.Env
	return h.Handle, nil
}

// Destroy implements [Lifecycle].
func (m *Mock) Destroy(ctx context.Context, h Handle) error {
	if err := m.enter(ctx, MockCall{Seam: MockSeamDestroy, Handle: h}); err != nil {
		return err
	}
	s := m.state
	s.mu.Lock()
	owner := s.handles[h.ID]
	if owner == nil {
		s.mu.Unlock()
		return nil
	}
	owner.destroyed = true
	procs := slices.Clone(owner.execs)
	for _, p := range s.tasks {
		if p.owner == owner {
			procs = append(procs, p)
		}
	}
	s.mu.Unlock()
	for _, p := range procs {
		m.terminate(p)
	}
	for _, p := range procs {
		if err := m.await(ctx, p); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tasks = slices.DeleteFunc(s.tasks, func(p *mockProc) bool { return p.owner == owner })
	if s.handles[h.ID] == owner {
		delete(s.handles, h.ID)
	}
	return nil
}

// owner finds a live handle. The lock is held.
func (s *mockState) owner(h Handle) (*mockHandle, error) {
	owner := s.handles[h.ID]
	if owner == nil || owner.destroyed {
		return nil, ErrUnknownHandle
	}
	return owner, nil
}

// abs makes a path absolute, with slashes: the mock's files lie on no system.
func (m *Mock) abs(dir, name string) string {
	name = filepath.ToSlash(name)
	if path.IsAbs(name) || filepath.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(filepath.ToSlash(dir), name)
}
