//go:build unix

package execctx_test

import (
	"context"
	"errors"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stophook/stophook/execctx"
)

func TestProcessKill_EX5(t *testing.T) {
	c, h := newContext(t, execctx.ProcessOptions{})
	t.Run("EX-5: the whole group, with its last words", func(t *testing.T) {
		got := launch(t, c, h, "trap 'echo bye; exit 143' TERM; sleep 1000 & echo $!; wait")
		until(t, "the child is up", func() bool { return strings.Contains(readLog(t, got.OutputPath), "\n") })
		info := kill(t, c, h, got.TaskID)
		log := readLog(t, got.OutputPath)
		if info.Status != execctx.StatusKilled || !strings.HasSuffix(log, "bye\n") {
			t.Errorf("%+v, output %q", info, log)
		}
		wantNoGroup(t, got.PID)
	})
	t.Run("EX-5, D-17: an unknown id is nothing", func(t *testing.T) {
		for _, id := range []string{"bash_99", "", "../x"} {
			if info, err := c.KillBackground(t.Context(), h, id); info != nil || err != nil {
				t.Errorf("%q: %v, %v", id, info, err)
			}
		}
		if info, err := c.KillBackground(t.Context(), execctx.Handle{ID: "nobody"}, "bash_1"); info != nil || err != nil {
			t.Errorf("%v, %v", info, err)
		}
		if info, err := c.KillBackground(t.Context(), spawn(t, c), "bash_1"); info != nil || err != nil {
			t.Errorf("another handle's task: %v, %v", info, err)
		}
	})
	t.Run("EX-5: many kills are one", func(t *testing.T) {
		told := make(chan execctx.ExitInfo, 20)
		got := launch(t, c, h, "sleep 1000", onExit(func(info execctx.ExitInfo) { told <- info }))
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				if info := kill(t, c, h, got.TaskID); *info.ExitCode != 143 || info.Signal != "SIGTERM" {
					t.Errorf("%+v", info)
				}
			})
		}
		wg.Wait()
		if len(told) != 1 {
			t.Errorf("told %d times", len(told))
		}
	})
}

// wantNoGroup wants that nobody of a process group is alive. The dead may stay
// listed until their new parent looks.
func wantNoGroup(t *testing.T, group int) {
	t.Helper()
	if errors.Is(syscall.Kill(-group, 0), syscall.ESRCH) {
		return
	}
	out, err := exec.Command("ps", "-A", "-o", "pgid=,stat=,pid=").Output()
	if err != nil {
		t.Skipf("EX-52: ps is not usable: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) == 3 && fields[0] == strconv.Itoa(group) && !strings.HasPrefix(fields[1], "Z") {
			t.Errorf("process %s of the group %d is alive, state %s", fields[2], group, fields[1])
		}
	}
}

func TestProcessKill_ignored_EX54(t *testing.T) {
	c, h := newContext(t, execctx.ProcessOptions{KillGrace: 50 * time.Millisecond})
	got := launch(t, c, h, "trap '' TERM; sleep 1000 & echo up; wait; wait; sleep 1000")
	until(t, "it is up", func() bool { return readLog(t, got.OutputPath) != "" })
	info := kill(t, c, h, got.TaskID)
	if *info.ExitCode != 137 || info.Signal != "SIGKILL" || info.Status != execctx.StatusKilled {
		t.Errorf("%+v", info)
	}
	wantNoGroup(t, got.PID)
}

// ctx bounds the waiting, not the kill.
func TestProcessKill_context(t *testing.T) {
	c, fs, h := newFakes(t, execctx.ProcessOptions{})
	launch(t, c, h, "x")
	fs.nth(1).stubborn = true
	reason := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	answer := make(chan error, 1)
	go func() {
		_, err := c.KillBackground(ctx, h, "bash_1")
		answer <- err
	}()
	until(t, "it was asked to end", func() bool {
		fs.nth(1).mu.Lock()
		defer fs.nth(1).mu.Unlock()
		return fs.nth(1).asked
	})
	cancel(reason)
	if err := recv(t, "the kill gives up", answer); !errors.Is(err, reason) {
		t.Errorf("it says %v", err)
	}
	fs.nth(1).exit(0, 0)
	if info := ended(t, c, h, "bash_1"); info.Status != execctx.StatusKilled || *info.ExitCode != 0 || info.Signal != "" {
		t.Errorf("D-41: %+v", info)
	}
}

func TestProcessWait_EX7(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, fs, h := newFakes(t, execctx.ProcessOptions{})
		other := spawn(t, c)
		launch(t, c, h, "x")
		canceled, cancel := context.WithCancel(t.Context())
		cancel()
		for name, test := range map[string]struct {
			ctx     context.Context
			h       execctx.Handle
			id      string
			timeout time.Duration
			after   time.Duration
		}{
			"EX-7: nothing after the timeout":    {t.Context(), h, "bash_1", time.Hour, time.Hour},
			"EX-7: nothing when ctx ends":        {canceled, h, "bash_1", 0, 0},
			"EX-7: nothing of an unknown id":     {t.Context(), h, "bash_2", 0, 0},
			"EX-7: nothing of another's task":    {t.Context(), other, "bash_1", 0, 0},
			"EX-7: nothing of an unknown handle": {t.Context(), execctx.Handle{}, "bash_1", 0, 0},
		} {
			start := time.Now()
			info, err := c.WaitBackground(test.ctx, test.h, test.id, test.timeout)
			if after := time.Since(start); info != nil || err != nil || after != test.after {
				t.Errorf("%s: %v, %v after %v", name, info, err, after)
			}
		}
		// All who wait are told, by whichever handle they came.
		answers := make(chan *execctx.ExitInfo, 3)
		for range 3 {
			go func() {
				info, _ := c.WaitBackground(t.Context(), h, "bash_1", 0)
				answers <- info
			}()
		}
		synctest.Wait()
		if _, err := c.ReassignBackground(t.Context(), execctx.ReassignRequest{From: h, To: other}); err != nil {
			t.Fatal(err)
		}
		fs.nth(1).exit(3, 0)
		for range 3 {
			if info := <-answers; info == nil || *info.ExitCode != 3 {
				t.Errorf("told %+v", info)
			}
		}
		if info, err := c.WaitBackground(canceled, other, "bash_1", 0); err != nil || info == nil {
			t.Errorf("what is known is given also when ctx has ended: %v, %v", info, err)
		}
		destroy(t, c, h)
		destroy(t, c, other)
	})
}
