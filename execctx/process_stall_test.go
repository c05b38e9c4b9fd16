package execctx_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stophook/stophook/execctx"
	"github.com/stophook/stophook/execctx/exectest"
)

const window = time.Minute

// stalls collects signals as "after the start: silence".
type stalls struct {
	mu    sync.Mutex
	start time.Time
	all   []string
}

func (s *stalls) tell(info execctx.StallInfo) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, info.At.Sub(s.start).String()+": "+(time.Duration(info.StalledForMS)*time.Millisecond).String())
}

func (s *stalls) want(t *testing.T, what string, want ...string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Equal(s.all, want) {
		t.Errorf("%s: told %q, want %q", what, s.all, want)
	}
}

func watched(s *stalls) func(*execctx.LaunchRequest) {
	return func(r *execctx.LaunchRequest) { r.StallTimeout, r.OnStall = window, s.tell }
}

func TestProcessStall_EX60_EX61_D16(t *testing.T) {
	for name, test := range map[string]struct {
		output []time.Duration // after the start
		lasts  time.Duration
		want   []string
	}{
		"EX-61: output every 50 s over 5 min": {
			output: []time.Duration{50 * time.Second, 100 * time.Second, 150 * time.Second, 200 * time.Second, 250 * time.Second, 300 * time.Second},
			lasts:  350 * time.Second,
		},
		"EX-61: output, then silence, is one signal": {
			output: []time.Duration{50 * time.Second}, lasts: time.Hour, want: []string{"1m50s: 1m0s"},
		},
		"D-16: silence from the start": {lasts: time.Hour, want: []string{"1m0s: 1m0s"}},
		"EX-60: each quiet period has its signal": {
			output: []time.Duration{10 * time.Second, 200 * time.Second, 201 * time.Second, 1000 * time.Second},
			lasts:  time.Hour, want: []string{"1m10s: 1m0s", "4m21s: 1m0s", "17m40s: 1m0s"},
		},
		"output at the start":                    {output: []time.Duration{0}, lasts: time.Hour, want: []string{"1m0s: 1m0s"}},
		"output just in time":                    {output: []time.Duration{window - 1}, lasts: 2*window - 2},
		"EX-62: the end comes before the signal": {lasts: window - 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, fs, h := newFakes(t, execctx.ProcessOptions{})
				told := &stalls{start: time.Now()}
				launch(t, c, h, "x", watched(told))
				for _, at := range test.output {
					pass(time.Until(told.start.Add(at)))
					fs.nth(1).print("x")
				}
				pass(time.Until(told.start.Add(test.lasts)))
				fs.nth(1).exit(0, 0)
				told.want(t, "until the end", test.want...)
				pass(time.Hour)
				told.want(t, "EX-62: after it", test.want...)
				destroy(t, c, h)
			})
		})
	}
}

// Any output at all: a signal comes exactly one window after output that is
// followed by as much silence, and never else.
func TestProcessStall_any_EX60(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		gaps := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 300), func(n int) time.Duration { return time.Duration(n) * time.Second }), 1, 20).Draw(rt, "gaps")
		clock := exectest.NewClock(time.Now())
		fs := &fakes{}
		c := execctx.NewTestProcess(execctx.ProcessOptions{Clock: clock}, fs.open)
		h, err := c.Spawn(context.Background(), execctx.SpawnConfig{CWD: t.TempDir()})
		if err != nil {
			rt.Fatal(err)
		}
		told := &stalls{start: clock.Now()}
		launch(t, c, h, "x", watched(told))
		var want []string
		at := time.Duration(0)
		for _, gap := range gaps {
			if gap >= window {
				want = append(want, (at+window).String()+": "+window.String())
			}
			clock.Advance(gap)
			at += gap
			fs.nth(1).print("x")
		}
		if diff := cmp.Diff(want, told.all); diff != "" {
			rt.Errorf("told (-want +got):\n%s", diff)
		}
		if n := clock.Pending(); n != 1 {
			rt.Errorf("%d timers for a task", n)
		}
		fs.nth(1).exit(0, 0)
		if n := clock.Pending(); n != 0 {
			rt.Errorf("EX-62: %d timers after the end", n)
		}
		destroy(t, c, h)
	})
}

func TestProcessStall_reassign_EX62_D12(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, fs, h := newFakes(t, execctx.ProcessOptions{})
		to := spawn(t, c)
		start := time.Now()
		old, now := &stalls{start: start}, &stalls{start: start}
		launch(t, c, h, "x", watched(old))
		move := func(from, to execctx.Handle, tell func(execctx.StallInfo)) {
			t.Helper()
			reassign(t, c, execctx.ReassignRequest{From: from, To: to, OnStall: tell})
		}
		pass(window / 2)
		move(h, to, now.tell)
		pass(window)
		old.want(t, "the old owner")
		now.want(t, "the silence goes on over the move", "1m0s: 1m0s")
		move(to, h, old.tell)
		pass(10 * window)
		old.want(t, "one signal per quiet period, whoever owns it")
		move(h, to, nil)
		fs.nth(1).print("x")
		pass(2*window + window/2)
		move(to, h, old.tell)
		pass(window)
		// Nobody was there to be told of it before.
		old.want(t, "silence that nobody was told of", "14m30s: 3m0s")
		destroy(t, c, h)
		destroy(t, c, to)
	})
}

func TestProcessStall_off(t *testing.T) {
	clock := exectest.NewClock(time.Now())
	c, _, h := newFakes(t, execctx.ProcessOptions{Clock: clock})
	told := &stalls{}
	launch(t, c, h, "x", func(r *execctx.LaunchRequest) { r.OnStall = told.tell })
	launch(t, c, h, "x", func(r *execctx.LaunchRequest) { r.StallTimeout = window })
	clock.Advance(time.Hour)
	told.want(t, "no window, or nobody to tell")
}

func TestProcessStall_ends_EX62(t *testing.T) {
	for name, end := range map[string]func(*testing.T, *execctx.ProcessContext, execctx.Handle, *fakes){
		"an exit": func(_ *testing.T, _ *execctx.ProcessContext, _ execctx.Handle, fs *fakes) { fs.nth(1).exit(0, 0) },
		"a kill":  func(t *testing.T, c *execctx.ProcessContext, h execctx.Handle, _ *fakes) { kill(t, c, h, "bash_1") },
		"destroy": func(t *testing.T, c *execctx.ProcessContext, h execctx.Handle, _ *fakes) { destroy(t, c, h) },
	} {
		t.Run(name, func(t *testing.T) {
			clock := exectest.NewClock(time.Now())
			c, fs, h := newFakes(t, execctx.ProcessOptions{Clock: clock})
			told := &stalls{}
			launch(t, c, h, "x", watched(told))
			clock.Advance(window - 1)
			end(t, c, h, fs)
			if n := clock.Pending(); n != 0 {
				t.Errorf("%d timers are left", n)
			}
			clock.Advance(time.Hour)
			told.want(t, "after the end")
		})
	}
}

// Somebody sets the machine's clock: no signal comes early, and none is lost.
func TestProcessStall_clockJumps(t *testing.T) {
	for name, jump := range map[string]time.Duration{
		"ahead": time.Hour, "back": -time.Hour, "back a little": -5 * time.Second, "ahead a little": 5 * time.Second,
	} {
		t.Run(name, func(t *testing.T) {
			clock := exectest.NewClock(time.Now())
			c, fs, h := newFakes(t, execctx.ProcessOptions{Clock: clock})
			told := &stalls{}
			count := func() int { return len(told.all) }
			launch(t, c, h, "x", watched(told))
			clock.Advance(40 * time.Second)
			fs.nth(1).print("x")
			clock.Advance(5 * time.Second)
			clock.Set(clock.Now().Add(jump))
			clock.Advance(5 * time.Second)
			fs.nth(1).print("x")
			clock.Advance(window - 1)
			if count() != 0 {
				t.Errorf("told %q after less than the window", told.all)
			}
			clock.Advance(window + 1)
			if count() != 1 || !strings.HasSuffix(told.all[0], ": 1m0s") {
				t.Errorf("told %q after two windows", told.all)
			}
			clock.Advance(10 * window)
			if count() != 1 {
				t.Errorf("told %q of one quiet period", told.all)
			}
		})
	}
}

// OnStall may end its own task; a callback that panics harms nobody.
func TestProcessStall_callbacks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var warned warnings
		c, _, h := newFakes(t, execctx.ProcessOptions{Warn: warned.add})
		launch(t, c, h, "x", func(r *execctx.LaunchRequest) {
			r.StallTimeout = window
			r.OnStall = func(info execctx.StallInfo) {
				kill(t, c, h, info.TaskID)
				panic("boom")
			}
		})
		if info, err := c.WaitBackground(t.Context(), h, "bash_1", 0); err != nil || info.Signal != "SIGTERM" {
			t.Errorf("%+v, %v", info, err)
		}
		synctest.Wait()
		if all := warned.list(); len(all) != 1 || !strings.Contains(all[0].Error(), "OnStall of bash_1 panicked: boom") {
			t.Errorf("warned %v", all)
		}
		destroy(t, c, h)
	})
}
