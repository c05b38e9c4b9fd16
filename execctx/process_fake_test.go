package execctx_test

import (
	"errors"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stophook/stophook/execctx"
	"github.com/stophook/stophook/execctx/internal/proc"
)

// fakeProcess is a process that ends when a test says so.
type fakeProcess struct {
	cfg     proc.Config
	pid     int
	started time.Time
	done    chan struct{}

	mu        sync.Mutex
	over      bool
	end       proc.End
	asked     bool
	stubborn  bool // SIGTERM does nothing
	slow      bool // SIGTERM does nothing, and SIGKILL comes after the grace
	survivors []int
	left      []int // what Release does not get rid of
	released  int   // how often Release was called
}

func (f *fakeProcess) PID() int              { return f.pid }
func (f *fakeProcess) Done() <-chan struct{} { return f.done }
func (f *fakeProcess) End() proc.End         { <-f.done; return f.end }
func (f *fakeProcess) Vacant() bool          { return false }
func (f *fakeProcess) TerminateNow()         { go f.exit(137, syscall.SIGKILL) }

func (f *fakeProcess) Terminate() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over || f.asked {
		return
	}
	f.asked = true
	switch {
	case f.slow:
		time.AfterFunc(f.cfg.Grace, func() { f.exit(137, syscall.SIGKILL) })
	case !f.stubborn:
		go f.exit(143, syscall.SIGTERM)
	}
}

// path is that of the log.
func (f *fakeProcess) path() string { return f.cfg.Output.(interface{ Path() string }).Path() }

func (f *fakeProcess) Release() []int {
	<-f.done
	f.mu.Lock()
	defer f.mu.Unlock()
	f.released++
	return f.left
}

// print is output of the process, unless it has ended.
func (f *fakeProcess) print(text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.over {
		_, _ = f.cfg.Output.Write([]byte(text))
	}
}

// exit ends it and returns when that was told. It is false when it had ended
// before.
func (f *fakeProcess) exit(code int, sig syscall.Signal) bool {
	f.mu.Lock()
	if f.over {
		f.mu.Unlock()
		return false
	}
	f.over = true
	f.end = proc.End{
		Code: code, Signal: sig, Asked: f.asked, At: f.cfg.Now(), Elapsed: time.Since(f.started), Survivors: f.survivors,
	}
	end := f.end
	f.mu.Unlock()
	f.cfg.OnEnd(end)
	close(f.done)
	return true
}

// fakes starts fake processes.
type fakes struct {
	mu    sync.Mutex
	all   []*fakeProcess
	fail  []error                               // of the next starts, in order
	start func(f *fakeProcess, nth int)         // called before the start returns
	block func(cfg proc.Config) <-chan struct{} // the start returns when it is closed
}

var errFakeStart = errors.New("no process to be had")

func (fs *fakes) open(cfg proc.Config) (execctx.TestProcess, error) {
	if fs.block != nil {
		<-fs.block(cfg)
	}
	if cfg.Command == "fail" {
		return nil, errFakeStart
	}
	fs.mu.Lock()
	if len(fs.fail) > 0 {
		err := fs.fail[0]
		fs.fail = fs.fail[1:]
		if err != nil {
			fs.mu.Unlock()
			return nil, err
		}
	}
	f := &fakeProcess{cfg: cfg, pid: 1000 + len(fs.all), started: time.Now(), done: make(chan struct{})}
	fs.all = append(fs.all, f)
	n := len(fs.all)
	fs.mu.Unlock()
	if fs.start != nil {
		fs.start(f, n)
	}
	return f, nil
}

// list is a copy: starts may go on.
func (fs *fakes) list() []*fakeProcess {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return slices.Clone(fs.all)
}

// nth counts from 1, as task ids do.
func (fs *fakes) nth(n int) *fakeProcess { return fs.list()[n-1] }

// newFakes gives a context whose processes are fakes, and a handle. Their
// SIGTERM works, so destroying it at the end leaves nothing.
func newFakes(t *testing.T, opts execctx.ProcessOptions) (*execctx.ProcessContext, *fakes, execctx.Handle) {
	t.Helper()
	fs := &fakes{}
	c := execctx.NewTestProcess(opts, fs.open)
	return c, fs, spawn(t, c)
}
