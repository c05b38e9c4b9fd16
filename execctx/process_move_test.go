//go:build unix

package execctx_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stophook/stophook/execctx"
)

// aroundGo prints before and after a file named go appears.
const aroundGo = "echo before; until [ -e go ]; do sleep 0.01; done; echo after; exit 3"

// movable starts a command that can be moved, with a hidden file for its output
// in the folder out of the handle, and waits until it has printed.
func (b *bench) movable(ctx context.Context, command string, timeout time.Duration) execctx.ForegroundCall {
	b.Helper()
	call := b.start(ctx, execctx.ExecRequest{Command: command, Timeout: timeout, OutputDir: "out"})
	b.eventually("the first output", func() bool {
		files, _ := filepath.Glob(filepath.Join(b.h.CWD, "out", ".exec-*"))
		for _, name := range files {
			if text, _ := os.ReadFile(name); len(text) > 0 {
				return true
			}
		}
		return false
	})
	return call
}

func (b *bench) proceed() {
	b.Helper()
	if err := os.WriteFile(filepath.Join(b.h.CWD, "go"), nil, 0o600); err != nil {
		b.Fatal(err)
	}
}

// outFiles are the names in the folder out.
func (b *bench) outFiles() string {
	b.Helper()
	entries, err := os.ReadDir(filepath.Join(b.h.CWD, "out"))
	if err != nil {
		b.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return strings.Join(names, " ")
}

func (b *bench) wait(id string) execctx.ExitInfo {
	b.Helper()
	info, err := b.c.WaitBackground(b.Context(), b.h, id, 0)
	if err != nil || info == nil {
		b.Fatalf("wait for %s: %v, %v", id, info, err)
	}
	return *info
}

// EX-53, EX-41, EX-43: the process goes on, all of its output is in the log when
// the one exit is told, and neither the caller's context nor the timeout of the
// foreground reach it.
func TestMove_EX43(t *testing.T) {
	b := newBench(t, fakeClock)
	ctx, cancel := context.WithCancel(t.Context())
	call := b.movable(ctx, aroundGo, time.Hour)
	pid := call.PID()
	type exit struct {
		info execctx.ExitInfo
		log  string
	}
	told := make(chan exit, 2)
	b.clock.Advance(time.Minute)
	launched, err := call.Move(execctx.MoveRequest{OnExit: func(info execctx.ExitInfo) {
		text, _ := os.ReadFile(info.OutputPath)
		told <- exit{info, string(text)}
	}})
	if err != nil {
		t.Fatal(err)
	}
	<-call.Done()
	got, err := call.Result()
	if err != nil || got.Moved == nil || *got.Moved != launched || got.ExitCode != nil || string(got.Output) != "before\n" || got.DurationMS != 60_000 {
		t.Errorf("the foreground gets %+v, %v", got, err)
	}
	if launched.TaskID != "bash_1" || launched.PID != pid || call.PID() != pid {
		t.Errorf("process %d became %+v", pid, launched)
	}
	if id, _, ok := execctx.ParseLogName(filepath.Base(launched.OutputPath)); !ok || id != "bash_1" || b.outFiles() != filepath.Base(launched.OutputPath) {
		t.Errorf("the log is %s, beside %s", launched.OutputPath, b.outFiles())
	}
	if _, err := call.Move(execctx.MoveRequest{}); !errors.Is(err, execctx.ErrEnded) {
		t.Errorf("a second move gives %v", err)
	}
	cancel()
	b.clock.Advance(2 * time.Hour)
	tasks, err := b.c.ListBackground(t.Context(), b.h)
	if err != nil || len(tasks) != 1 || tasks[0].Status != execctx.StatusRunning || tasks[0].PID != pid || tasks[0].BytesWritten != 7 {
		t.Errorf("listed: %+v, %v", tasks, err)
	}
	b.proceed()
	info := b.wait("bash_1")
	first := <-told
	if first.log != "before\nafter\n" || first.info.Status != execctx.StatusExited || *first.info.ExitCode != 3 || info.Status != first.info.Status || len(told) > 0 {
		t.Errorf("told %+v, then %+v, and %d more", first, info, len(told))
	}
}

// EX-39: the limit holds from the beginning of the file, with what was printed
// before the move.
func TestMove_limit_EX39(t *testing.T) {
	b := newBench(t)
	call := b.movable(t.Context(), aroundGo, 0)
	launched, err := call.Move(execctx.MoveRequest{MaxOutputBytes: 4})
	if err != nil {
		t.Fatal(err)
	}
	b.proceed()
	b.wait(launched.TaskID)
	text, err := os.ReadFile(launched.OutputPath)
	if want := "befo\n" + execctx.TruncatedMarker(9); string(text) != want || err != nil {
		t.Errorf("got %q, %v, want %q", text, err, want)
	}
	tasks, err := b.c.ListBackground(t.Context(), b.h)
	if err != nil || len(tasks) != 1 || tasks[0].BytesWritten != 13 {
		t.Errorf("listed: %+v, %v", tasks, err)
	}
}

// EX-45: a move is refused when too many tasks run, and the command goes on in
// the foreground as if nothing had been.
func TestMove_tooManyTasks_EX45(t *testing.T) {
	b := newBench(t, func(opts *execctx.ProcessOptions) { opts.MaxBackgroundTasks = 1 })
	if _, err := b.c.ExecBackground(t.Context(), b.h, execctx.LaunchRequest{Command: "sleep 600", OutputDir: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	call := b.movable(t.Context(), aroundGo, 0)
	_, err := call.Move(execctx.MoveRequest{})
	var full *execctx.TooManyTasksError
	if !errors.As(err, &full) || full.Limit != 1 {
		t.Errorf("got %v", err)
	}
	b.proceed()
	got, err := call.Result()
	if err != nil || string(got.Output) != "before\nafter\n" || *got.ExitCode != 3 || got.Moved != nil || b.outFiles() != "" {
		t.Errorf("got %+v, %v; files: %s", got, err, b.outFiles())
	}
}

// EX-45: a moved command takes room, and gives it back when it ends.
func TestMove_takesRoom_EX45(t *testing.T) {
	b := newBench(t, func(opts *execctx.ProcessOptions) { opts.MaxBackgroundTasks = 1 })
	call := b.movable(t.Context(), aroundGo, 0)
	launched, err := call.Move(execctx.MoveRequest{})
	if err != nil {
		t.Fatal(err)
	}
	launch := execctx.LaunchRequest{Command: "true", OutputDir: t.TempDir()}
	var full *execctx.TooManyTasksError
	if _, err := b.c.ExecBackground(t.Context(), b.h, launch); !errors.As(err, &full) {
		t.Errorf("a launch beside it: %v", err)
	}
	b.proceed()
	b.wait(launched.TaskID)
	if _, err := b.c.ExecBackground(t.Context(), b.h, launch); err != nil {
		t.Error(err)
	}
}

func TestMove_refused(t *testing.T) {
	b := newBench(t)
	call := b.start(t.Context(), execctx.ExecRequest{Command: aroundGo})
	if _, err := call.Move(execctx.MoveRequest{}); !errors.Is(err, execctx.ErrNotMovable) {
		t.Errorf("without an output folder: %v", err)
	}
	b.proceed()
	if got, err := call.Result(); err != nil || *got.ExitCode != 3 {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := call.Move(execctx.MoveRequest{}); !errors.Is(err, execctx.ErrEnded) {
		t.Errorf("after the end: %v", err)
	}
}

// A log that cannot be named leaves the command where it is.
func TestMove_folderIsGone(t *testing.T) {
	b := newBench(t)
	call := b.movable(t.Context(), aroundGo, 0)
	if err := os.RemoveAll(filepath.Join(b.h.CWD, "out")); err != nil {
		t.Fatal(err)
	}
	if launched, err := call.Move(execctx.MoveRequest{}); err == nil || errors.Is(err, execctx.ErrEnded) {
		t.Errorf("got %+v, %v", launched, err)
	}
	b.proceed()
	got, err := call.Result()
	if err != nil || string(got.Output) != "before\nafter\n" || len(got.Warnings) != 1 {
		t.Errorf("got %+v, %v", got, err)
	}
}

// EX-60: the watchdog begins with the move.
func TestMove_stall_EX60(t *testing.T) {
	b := newBench(t, fakeClock)
	call := b.movable(t.Context(), aroundGo, 0)
	b.clock.Advance(time.Hour)
	told := make(chan execctx.StallInfo, 2)
	launched, err := call.Move(execctx.MoveRequest{StallTimeout: time.Minute, OnStall: func(s execctx.StallInfo) { told <- s }})
	if err != nil {
		t.Fatal(err)
	}
	b.clock.Advance(59 * time.Second)
	if len(told) > 0 {
		t.Errorf("told too early: %+v", <-told)
	}
	b.clock.Advance(time.Second)
	if stall := <-told; stall.TaskID != launched.TaskID {
		t.Errorf("told %+v", stall)
	}
	b.proceed()
	b.wait(launched.TaskID)
	if pending := b.clock.Pending(); pending != 0 {
		t.Errorf("%d timers are left", pending)
	}
}

// EX-5, EX-47: kill and destroy reach a moved command, and all below it.
func TestMove_killAndDestroy_EX5(t *testing.T) {
	for name, end := range map[string]func(b *bench, id string) error{
		"kill": func(b *bench, id string) error {
			info, err := b.c.KillBackground(b.Context(), b.h, id)
			if err == nil && (info == nil || info.Status != execctx.StatusKilled) {
				b.Errorf("got %+v", info)
			}
			return err
		},
		"destroy": func(b *bench, _ string) error { return b.c.Destroy(b.Context(), b.h) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			call := b.movable(t.Context(), "echo before; "+tree, 0)
			leader, child := b.file("leader"), b.file("child")
			launched, err := call.Move(execctx.MoveRequest{})
			if err != nil {
				t.Fatal(err)
			}
			if err := end(b, launched.TaskID); err != nil {
				t.Error(err)
			}
			b.treeIsGone(leader, child)
			if text, err := os.ReadFile(launched.OutputPath); string(text) != "before\n" || err != nil {
				t.Errorf("the log holds %q, %v", text, err)
			}
		})
	}
}
