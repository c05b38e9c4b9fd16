package execctx

import (
	"context"
	"slices"
	"sync"
	"time"
)

// MockSeam is a method of a [Mock] that can be made to fail or hang.
type MockSeam string

// The seams, one for each method that can fail.
const (
	MockSeamSpawn     MockSeam = "spawn"
	MockSeamExec      MockSeam = "exec"
	MockSeamStartExec MockSeam = "start exec"
	MockSeamMove      MockSeam = "move"
	MockSeamLaunch    MockSeam = "launch"
	MockSeamKill      MockSeam = "kill"
	MockSeamList      MockSeam = "list"
	MockSeamWait      MockSeam = "wait"
	MockSeamReassign  MockSeam = "reassign"
	MockSeamDestroy   MockSeam = "destroy"
	MockSeamReadFile  MockSeam = "read file"
	MockSeamWriteFile MockSeam = "write file"
	MockSeamListFiles MockSeam = "list files"
)

// MockCall is a call that was made, as far as it was when it began.
type MockCall struct {
	Seam    MockSeam
	At      time.Time
	Handle  Handle // of a reassign: the one that gives
	TaskID  string
	Command string
	Path    string // of a file, as given
	Request any    // the request, timeout or data as given
}

// mockFault is what happens to the calls of one seam.
type mockFault struct {
	next   []error // for the next calls, nil for none
	always error
	hang   *MockHang
}

// mockPartly is a reassign that stops in the middle.
type mockPartly struct {
	moved int
	err   error
}

// Fail makes the next calls of a seam fail, one for each error, in order; a nil
// lets one call pass. Failing calls have no effect.
func (m *Mock) Fail(seam MockSeam, errs ...error) {
	m.onFault(seam, func(f *mockFault) { f.next = append(f.next, errs...) })
}

// FailAlways makes all calls of a seam fail until it is called with nil.
func (m *Mock) FailAlways(seam MockSeam, err error) {
	m.onFault(seam, func(f *mockFault) { f.always = err })
}

// FailReassign makes the next reassign stop with err after it moved some tasks.
func (m *Mock) FailReassign(moved int, err error) {
	m.state.mu.Lock()
	defer m.state.mu.Unlock()
	m.state.partly = &mockPartly{moved: moved, err: err}
}

// Hang makes the calls of a seam hang before they have any effect, from now on
// and until the hang is released; a call whose ctx ends gives up with the cause,
// a wait with nothing. Released calls go on as if nothing had been.
func (m *Mock) Hang(seam MockSeam) *MockHang {
	hang := &MockHang{reached: make(chan struct{}), released: make(chan struct{})}
	m.onFault(seam, func(f *mockFault) { f.hang = hang })
	return hang
}

// MockHang is a seam that hangs.
type MockHang struct {
	once              sync.Once
	first             sync.Once
	reached, released chan struct{}
}

// Reached is closed when the first call hangs.
func (h *MockHang) Reached() <-chan struct{} { return h.reached }

// Release lets the hanging calls go on, and later ones pass.
func (h *MockHang) Release() { h.once.Do(func() { close(h.released) }) }

func (h *MockHang) wait(ctx context.Context) error {
	select {
	case <-h.released:
		return nil
	default:
	}
	h.first.Do(func() { close(h.reached) })
	select {
	case <-h.released:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Calls gives the calls so far of the named seams, or of all, in the order in
// which they began.
func (m *Mock) Calls(seams ...MockSeam) []MockCall {
	m.state.mu.Lock()
	defer m.state.mu.Unlock()
	var calls []MockCall
	for _, c := range m.state.calls {
		if len(seams) == 0 || slices.Contains(seams, c.Seam) {
			calls = append(calls, c)
		}
	}
	return calls
}

func (m *Mock) onFault(seam MockSeam, change func(*mockFault)) {
	m.state.mu.Lock()
	defer m.state.mu.Unlock()
	f := m.state.faults[seam]
	if f == nil {
		f = &mockFault{}
		m.state.faults[seam] = f
	}
	change(f)
}

// enter begins every call: it is recorded, then it hangs or fails if it must.
func (m *Mock) enter(ctx context.Context, call MockCall) error {
	call.At = m.opts.Clock.Now()
	var err error
	var hang *MockHang
	m.onFault(call.Seam, func(f *mockFault) {
		m.state.calls = append(m.state.calls, call)
		hang, err = f.hang, f.always
		if len(f.next) > 0 {
			err, f.next = f.next[0], f.next[1:]
		}
	})
	if hang != nil {
		if err := hang.wait(ctx); err != nil {
			return err
		}
	}
	if err == nil && m.opts.OnCall != nil {
		err = m.opts.OnCall(ctx, call)
	}
	return err
}
