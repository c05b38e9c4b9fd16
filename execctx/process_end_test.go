//go:build unix

package execctx_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stophook/stophook/execctx"
)

// An exit is what the list, a wait, a kill and the callback all say.
func TestProcessEnd_EX9_EX10_EX11_D41(t *testing.T) {
	c, h := newContext(t, execctx.ProcessOptions{})
	for name, test := range map[string]struct {
		command string
		kill    bool
		status  execctx.TaskStatus
		code    int
		signal  string
	}{
		"EX-9: an exit":                              {command: "exit 7", status: execctx.StatusExited, code: 7},
		"EX-10: a signal from anywhere":              {command: "kill -KILL $$", status: execctx.StatusKilled, code: 137, signal: "SIGKILL"},
		"EX-10: a real-time signal has a number":     {command: "kill -34 $$", status: execctx.StatusKilled, code: 162, signal: "SIG34"},
		"EX-10: a code over 128 is no signal":        {command: "exit 143", status: execctx.StatusExited, code: 143},
		"EX-10: our kill":                            {command: "echo up; exec sleep 1000", kill: true, status: execctx.StatusKilled, code: 143, signal: "SIGTERM"},
		"D-41: a task that ends by itself, under it": {command: "trap 'exit 9' TERM; echo up; while :; do sleep 0.01; done", kill: true, status: execctx.StatusKilled, code: 9},
	} {
		t.Run(name, func(t *testing.T) {
			told := make(chan execctx.ExitInfo, 2)
			got := launch(t, c, h, test.command, onExit(func(info execctx.ExitInfo) { told <- info }))
			if test.kill {
				until(t, "it is up", func() bool { return strings.Contains(readLog(t, got.OutputPath), "up") })
				kill(t, c, h, got.TaskID)
			}
			info := recv(t, "the exit", told)
			code, known := info.Code()
			if info.Status != test.status || !known || code != test.code || info.Signal != test.signal {
				t.Errorf("ended as %+v with code %d", info, code)
			}
			if info.TaskID != got.TaskID || info.OutputPath != got.OutputPath || info.Command != test.command || info.DurationMS < 0 {
				t.Errorf("%+v of %+v", info, got)
			}
			same := func(what string, other execctx.ExitInfo) {
				t.Helper()
				if fmt.Sprint(*other.ExitCode, other.Status, other.Signal, other.DurationMS) !=
					fmt.Sprint(code, info.Status, info.Signal, info.DurationMS) {
					t.Errorf("%s says %+v, the callback %+v", what, other, info)
				}
			}
			same("a wait", ended(t, c, h, got.TaskID))
			same("a kill afterwards", kill(t, c, h, got.TaskID))
			entries := list(t, c, h)
			entry := entries[len(entries)-1]
			same("the list", entry.ExitInfo)
			if entry.PID != got.PID || entry.CWD != h.CWD || entry.HandleID != h.ID || entry.EndedAt.Before(entry.StartedAt) {
				t.Errorf("listed as %+v", entry)
			}
			if len(told) > 0 {
				t.Error("EX-43: told twice")
			}
		})
	}
}

// EX-12: what a caller does to a snapshot changes nothing.
func TestProcessEnd_snapshots_EX12(t *testing.T) {
	c, fs, h := newFakes(t, execctx.ProcessOptions{})
	launch(t, c, h, "x")
	fs.nth(1).survivors = []int{77}
	fs.nth(1).exit(3, 0)
	for range 2 {
		entry := list(t, c, h)[0]
		info := ended(t, c, h, "bash_1")
		if *entry.ExitCode != 3 || *info.ExitCode != 3 || !strings.Contains(info.Warnings[0], "process 77") {
			t.Fatalf("%+v, %+v", entry, info)
		}
		*entry.ExitCode, *info.ExitCode, info.Warnings[0], entry.Warnings[0] = 1, 2, "x", "y"
	}
}

// EX-41, D-24: the log is complete and closed when the callback comes, the list
// says the same, and no wait and no kill answers before the callback returned.
func TestProcessEnd_order_EX41(t *testing.T) {
	c, h := newContext(t, execctx.ProcessOptions{})
	for n := range 20 {
		var returned atomic.Bool
		inside := make(chan struct{})
		release := make(chan struct{})
		row := strings.Repeat("0123456789", 1000)
		got := launch(t, c, h, "printf "+row+"; sleep 0.01; printf end", onExit(func(info execctx.ExitInfo) {
			defer returned.Store(true)
			if log := readLog(t, info.OutputPath); log != row+"end" {
				t.Errorf("the log has %d bytes when the exit is told", len(log))
			}
			if entry := list(t, c, h)[n]; entry.Status != execctx.StatusExited {
				t.Errorf("listed as %s when the exit is told", entry.Status)
			}
			close(inside)
			<-release
		}))
		answers := make(chan string, 2)
		go func() {
			ended(t, c, h, got.TaskID)
			answers <- fmt.Sprint("wait ", returned.Load())
		}()
		recv(t, "the callback", inside)
		go func() {
			kill(t, c, h, got.TaskID)
			answers <- fmt.Sprint("kill ", returned.Load())
		}()
		short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		if info, err := c.KillBackground(short, h, got.TaskID); info != nil || err == nil {
			t.Errorf("a kill answered %v, %v while the callback ran", info, err)
		}
		cancel()
		if info, err := c.WaitBackground(t.Context(), h, got.TaskID, time.Millisecond); info != nil || err != nil {
			t.Errorf("a wait answered %v, %v while the callback ran", info, err)
		}
		close(release)
		for range 2 {
			if answer := recv(t, "an answer", answers); !strings.HasSuffix(answer, "true") {
				t.Errorf("%s: before the callback returned", answer)
			}
		}
	}
}

func TestProcessEnd_badCallbacks_EX43(t *testing.T) {
	for name, test := range map[string]struct {
		callback func()
		want     string
	}{
		"a panic":                {func() { panic("boom") }, "OnExit of bash_1 panicked: boom"},
		"the end of a goroutine": {runtime.Goexit, "OnExit of bash_1 ended its goroutine"},
	} {
		t.Run(name, func(t *testing.T) {
			var warned warnings
			c, h := newContext(t, execctx.ProcessOptions{Warn: warned.add})
			got := launch(t, c, h, "exit 3", onExit(func(execctx.ExitInfo) { test.callback() }))
			if code, _ := ended(t, c, h, got.TaskID).Code(); code != 3 {
				t.Errorf("code %d", code)
			}
			if all := warned.list(); len(all) != 1 || !strings.Contains(all[0].Error(), test.want) {
				t.Errorf("warned %v", all)
			}
			destroy(t, c, h)
		})
	}
}

// A callback may use the context, of whose tasks it must not wait for its own.
func TestProcessEnd_reentry(t *testing.T) {
	c, h := newContext(t, execctx.ProcessOptions{})
	other := spawn(t, c)
	victim := launch(t, c, h, "sleep 1000")
	moved := launch(t, c, h, "sleep 1000")
	done := make(chan string, 1)
	launch(t, c, h, "true", onExit(func(info execctx.ExitInfo) {
		kill(t, c, h, victim.TaskID)
		next := launch(t, c, h, "exit 2")
		ended(t, c, h, next.TaskID)
		got, err := c.ReassignBackground(context.Background(), execctx.ReassignRequest{From: h, To: other})
		if err != nil || len(got) != 1 || got[0].TaskID != moved.TaskID {
			t.Errorf("reassigned %v, %v", got, err)
		}
		destroy(t, c, other)
		done <- fmt.Sprint(ids(t, c, h), info.Status)
	}))
	if got := recv(t, "the callback", done); got != "[bash_1 bash_3 bash_4]exited" {
		t.Error(got)
	}
}

func TestProcessEnd_survivors_EX47_EX51(t *testing.T) {
	c, h := newContext(t, execctx.ProcessOptions{})
	got := launch(t, c, h, "sleep 1000 >/dev/null 2>&1 & echo $!; exit 6")
	info := ended(t, c, h, got.TaskID)
	if code, _ := info.Code(); code != 6 || info.Status != execctx.StatusExited {
		t.Errorf("ended as %+v", info)
	}
	var pid int
	if _, err := fmt.Sscan(readLog(t, got.OutputPath), &pid); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "linux" {
		wantWarning(t, info, fmt.Sprintf("process %d of the process group still ran", pid))
	}
	if err := syscall.Kill(pid, 0); err != nil {
		t.Fatalf("what the task left behind does not run: %v", err)
	}
	if again := kill(t, c, h, got.TaskID); *again.ExitCode != 6 || again.Status != execctx.StatusExited {
		t.Errorf("a kill afterwards gives %+v", again)
	}
	wantNoGroup(t, got.PID)
}

// A command that closes its output lives on, and one whose child holds the
// output is not over.
func TestProcessEnd_output_EX41(t *testing.T) {
	c, h := newContext(t, execctx.ProcessOptions{})
	closed := launch(t, c, h, "exec >/dev/null 2>&1; touch closed; until test -e go; do sleep 0.01; done; exit 4")
	child := launch(t, c, h, "(until test -e go; do sleep 0.01; done; echo late) & exit 5")
	until(t, "the output is closed", func() bool { return fileExists(h, "closed") })
	for _, entry := range list(t, c, h) {
		if entry.Status != execctx.StatusRunning {
			t.Errorf("%s is %s", entry.TaskID, entry.Status)
		}
	}
	touch(t, h, "go")
	if code, _ := ended(t, c, h, closed.TaskID).Code(); code != 4 {
		t.Errorf("code %d", code)
	}
	if code, _ := ended(t, c, h, child.TaskID).Code(); code != 5 || readLog(t, child.OutputPath) != "late\n" {
		t.Errorf("code %d, output %q", code, readLog(t, child.OutputPath))
	}
}
