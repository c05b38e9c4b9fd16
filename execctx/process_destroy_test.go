//go:build unix

package execctx_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stophook/stophook/execctx"
)

func TestProcessDestroy_EX47_EX49(t *testing.T) {
	c, h := newContext(t, execctx.ProcessOptions{KillGrace: 200 * time.Millisecond})
	other := spawn(t, c)
	commands := []string{
		"echo 1; exec sleep 1000",
		"trap '' TERM; echo 1; sleep 1000; sleep 1000",
		"trap 'echo last; exit 1' TERM; echo 1; while :; do sleep 0.01; done",
		"echo 1; sleep 1000 & sleep 1000",
		"echo 1; sleep 1000 >/dev/null 2>&1 &", // ends, and leaves somebody
		"echo 1; kill -STOP $$",
	}
	var told atomic.Int32
	var got []execctx.Launched
	for _, command := range commands {
		got = append(got, launch(t, c, h, command, onExit(func(execctx.ExitInfo) { told.Add(1) })))
	}
	stays := launch(t, c, other, "sleep 1000")
	for _, task := range got {
		until(t, "it is up", func() bool { return readLog(t, task.OutputPath) != "" })
	}
	call, err := c.StartExec(t.Context(), h, execctx.ExecRequest{Command: "sleep 1000"})
	if err != nil {
		t.Fatal(err)
	}
	left, err := c.StartExec(t.Context(), h, execctx.ExecRequest{Command: "sleep 1000 >/dev/null 2>&1 &"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := left.Result(); err != nil {
		t.Fatal(err)
	}
	destroy(t, c, h)
	if int(told.Load()) != len(commands) {
		t.Errorf("%d exits were told of %d", told.Load(), len(commands))
	}
	for i, task := range got {
		if log := readLog(t, task.OutputPath); !strings.HasPrefix(log, "1\n") || i == 2 && !strings.HasSuffix(log, "last\n") {
			t.Errorf("EX-49: %q left %q", commands[i], log)
		}
		wantNoGroup(t, task.PID)
	}
	t.Run("EX-14: the foreground, a registry of its own, ends as well", func(t *testing.T) {
		select {
		case <-call.Done():
			wantNoGroup(t, call.PID())
		default:
			t.Error("the command in the foreground runs")
		}
		wantNoGroup(t, left.PID())
	})
	if entry := list(t, c, other)[0]; entry.Status != execctx.StatusRunning || syscall.Kill(stays.PID, 0) != nil {
		t.Errorf("another handle's task is %s", entry.Status)
	}
	t.Run("EX-48: again", func(t *testing.T) {
		destroy(t, c, h)
		destroy(t, c, execctx.Handle{ID: "never"})
	})
	t.Run("the handle is unknown afterwards", func(t *testing.T) {
		if _, err := c.ExecBackground(t.Context(), h, execctx.LaunchRequest{OutputDir: "tasks"}); !errors.Is(err, execctx.ErrUnknownHandle) {
			t.Error(err)
		}
		if info, err := c.WaitBackground(t.Context(), h, got[0].TaskID, 0); info != nil || err != nil {
			t.Errorf("%v, %v", info, err)
		}
	})
	t.Run("EX-33: its id can be bound again, ids go on", func(t *testing.T) {
		again, err := c.Spawn(t.Context(), execctx.SpawnConfig{HandleID: h.ID, CWD: h.CWD})
		if err != nil || again != h {
			t.Fatalf("%+v, %v", again, err)
		}
		if id := launch(t, c, again, "true").TaskID; id != fmt.Sprintf("bash_%d", len(commands)+2) {
			t.Errorf("the next task is %s", id)
		}
		destroy(t, c, again)
	})
}

// When ctx ends first, Destroy says why, goes on, and can be waited for again.
func TestProcessDestroy_context(t *testing.T) {
	c, fs, h := newFakes(t, execctx.ProcessOptions{})
	launch(t, c, h, "x")
	launch(t, c, h, "x")
	fs.nth(1).stubborn = true
	reason := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(reason)
	if err := c.Destroy(ctx, h); !errors.Is(err, reason) {
		t.Errorf("destroy: %v", err)
	}
	if got := ids(t, c, h); got != nil {
		t.Errorf("listed: %v", got)
	}
	again := make(chan error, 1)
	go func() { again <- c.Destroy(context.Background(), h) }()
	recv(t, "the other task ends", fs.nth(2).Done())
	select {
	case err := <-again:
		t.Errorf("destroyed with a task that runs: %v", err)
	default:
	}
	fs.nth(1).exit(0, 0)
	if err := recv(t, "the second call returns", again); err != nil {
		t.Error(err)
	}
	if err := c.Destroy(ctx, h); err != nil {
		t.Errorf("nothing is left to wait for: %v", err)
	}
}

// What even SIGKILL does not end is said where somebody may see it.
func TestProcessDestroy_unkillable(t *testing.T) {
	var warned warnings
	c, fs, h := newFakes(t, execctx.ProcessOptions{Warn: warned.add})
	launch(t, c, h, "x")
	fs.nth(1).left = []int{17, 18}
	destroy(t, c, h)
	if all := warned.list(); len(all) != 1 || !strings.Contains(all[0].Error(), "processes [17 18], left behind by bash_1, did not end") {
		t.Errorf("warned %v", all)
	}
}

// A start that is under way when the handle is destroyed is waited for, and what
// it starts is ended.
func TestProcessDestroy_launching(t *testing.T) {
	c, fs, h := newFakes(t, execctx.ProcessOptions{})
	release, entered := make(chan struct{}), make(chan struct{})
	fs.start = func(*fakeProcess, int) { close(entered); <-release }
	launched, destroyed, late := make(chan error, 1), make(chan error, 1), make(chan error, 1)
	try := func(answer chan<- error) {
		_, err := c.ExecBackground(context.Background(), h, execctx.LaunchRequest{Command: "x", OutputDir: "tasks"})
		answer <- err
	}
	go try(launched)
	recv(t, "the start is under way", entered)
	go try(late) // waits for its turn
	go func() { destroyed <- c.Destroy(context.Background(), h) }()
	until(t, "the handle is gone", func() bool {
		_, err := c.ReassignBackground(context.Background(), execctx.ReassignRequest{From: h, To: h})
		return errors.Is(err, execctx.ErrUnknownHandle)
	})
	select {
	case err := <-destroyed:
		t.Errorf("destroyed during a start: %v", err)
	default:
	}
	close(release)
	if err := recv(t, "the launch", launched); err != nil {
		t.Errorf("the launch that was under way: %v", err)
	}
	if err := recv(t, "the other launch", late); !errors.Is(err, execctx.ErrUnknownHandle) {
		t.Errorf("the launch that came too late: %v", err)
	}
	if err := recv(t, "the destroy", destroyed); err != nil {
		t.Error(err)
	}
	if len(fs.list()) != 1 || fs.nth(1).End().Code != 143 {
		t.Errorf("%d processes were started, the first ended as %+v", len(fs.list()), fs.nth(1).End())
	}
}

// Everything at once, with the limit lifted.
func TestProcessDestroy_manyTasks(t *testing.T) {
	c, h := newContext(t, execctx.ProcessOptions{MaxBackgroundTasks: execctx.NoTaskLimit})
	const n = 200
	var told atomic.Int32
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			launch(t, c, h, "echo up; exec sleep 1000", onExit(func(execctx.ExitInfo) { told.Add(1) }))
		})
	}
	wg.Wait()
	entries := list(t, c, h)
	if len(entries) != n {
		t.Fatalf("%d tasks", len(entries))
	}
	for _, entry := range entries {
		until(t, entry.TaskID+" is up", func() bool { return readLog(t, entry.OutputPath) == "up\n" })
	}
	destroy(t, c, h)
	if told.Load() != n {
		t.Errorf("%d exits were told", told.Load())
	}
	for _, entry := range entries {
		wantNoGroup(t, entry.PID)
	}
}

// EX-42: whatever ended a task, no descriptor stays open.
func TestProcessDestroy_descriptors_EX42(t *testing.T) {
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skipf("descriptors cannot be counted here: %v", err)
	}
	c := execctx.NewProcess(execctx.ProcessOptions{})
	round := func() {
		h, err := c.Spawn(t.Context(), execctx.SpawnConfig{CWD: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		ended(t, c, h, launch(t, c, h, "echo x").TaskID)
		kill(t, c, h, launch(t, c, h, "sleep 1000").TaskID)
		launch(t, c, h, "sleep 1000")
		launch(t, c, h, "sleep 1000 >/dev/null 2>&1 &")
		if _, err := c.ExecBackground(t.Context(), h, execctx.LaunchRequest{OutputDir: "tasks", CWD: "missing"}); err == nil {
			t.Error("a start in a missing directory succeeds")
		}
		destroy(t, c, h)
	}
	round()
	before := openFiles(t)
	for range 10 {
		round()
	}
	until(t, fmt.Sprint("as many descriptors as before: ", before), func() bool { return openFiles(t) <= before })
}

// openFiles counts the pipes, logs and process descriptors of this program.
func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, entry := range entries {
		name, err := os.Readlink(filepath.Join("/proc/self/fd", entry.Name()))
		if err == nil && (strings.HasPrefix(name, "pipe:") || strings.HasSuffix(name, ".log") || strings.Contains(name, "pidfd")) {
			n++
		}
	}
	return n
}
