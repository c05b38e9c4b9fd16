package exectest

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stophook/stophook/execctx"
)

// recorder is a testing.TB that notes what a check makes of a context and fails
// nobody. What it does not have is the real test's.
type recorder struct {
	testing.TB
	mu       sync.Mutex
	cleanups []func()
	failed   bool
	skipped  bool
	log      strings.Builder
}

func (r *recorder) note(failed bool, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = r.failed || failed
	r.log.WriteString(strings.TrimSuffix(text, "\n") + "\n")
}

func (r *recorder) Helper()                    {}
func (r *recorder) Log(args ...any)            { r.note(false, fmt.Sprintln(args...)) }
func (r *recorder) Logf(f string, args ...any) { r.note(false, fmt.Sprintf(f, args...)) }
func (r *recorder) Error(args ...any)          { r.note(true, fmt.Sprintln(args...)) }
func (r *recorder) Errorf(f string, a ...any)  { r.note(true, fmt.Sprintf(f, a...)) }
func (r *recorder) Fatal(args ...any)          { r.Error(args...); runtime.Goexit() }
func (r *recorder) Fatalf(f string, a ...any)  { r.Errorf(f, a...); runtime.Goexit() }

func (r *recorder) Skipf(f string, a ...any) {
	r.skipped = true
	r.note(false, fmt.Sprintf(f, a...))
	runtime.Goexit()
}

func (r *recorder) Failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}

func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }

// do runs f as a test would be run, with its cleanups.
func (r *recorder) do(f func()) {
	run := func(f func()) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			f()
		}()
		<-done
	}
	run(f)
	for len(r.cleanups) > 0 {
		last := r.cleanups[len(r.cleanups)-1]
		r.cleanups = r.cleanups[:len(r.cleanups)-1]
		run(last)
	}
}

// recorded runs one check in a bubble, where time costs nothing and every wait is
// the same wait each time.
func recorded(t *testing.T, c check, factory Factory) *recorder {
	t.Helper()
	r := &recorder{}
	synctest.Test(t, func(t *testing.T) {
		r.TB = t
		r.do(func() { c.on(r, factory) })
	})
	return r
}

// mockSubject is a mock that plays the suite's commands.
func mockSubject(opts execctx.MockOptions) Subject {
	opts.OnLaunch, opts.OnExec = Play, Play
	if opts.MaxBackgroundTasks == 0 {
		opts.MaxBackgroundTasks = 30
	}
	m := execctx.NewMock(opts)
	s := Subject{Context: m, Dir: "/suite", MaxTasks: opts.MaxBackgroundTasks, Grace: max(opts.KillGrace, 0), Rounds: 50}
	if opts.DetachedTasks == execctx.DetachedDurable {
		s.Reopen = func() execctx.ExecutionContext { return m.Reopen() }
	}
	return s
}
