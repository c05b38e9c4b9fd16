package execctx_test

import (
	"context"
	"errors"
	"io/fs"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/execctx"
	"github.com/stophook/stophook/execctx/exectest"
)

func TestMock_exec_EX53(t *testing.T) {
	m := newMocked(t, execctx.MockOptions{Clock: exectest.NewClock(time.Unix(0, 0)), OnExec: func(run execctx.MockRun) execctx.MockScript {
		if run.ID != "exec_1" || !run.Foreground || run.CWD != "/mock/sub" || run.Env["K"] != "v" {
			t.Errorf("run %+v", run)
		}
		return execctx.MockScript{Steps: []execctx.MockStep{{Print: "out\n"}}, Exit: &execctx.MockExit{Code: 3}}
	}})
	// Nothing moves the clock: a script without delays needs no time.
	got, err := m.Exec(t.Context(), m.h, execctx.ExecRequest{Command: "x", CWD: "sub", Env: map[string]string{"K": "v"}})
	code := 3
	want := execctx.ExecResult{Output: []byte("out\n"), ExitCode: &code}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("result (-want +got):\n%s, %v", diff, err)
	}
	quiet := newMocked(t, execctx.MockOptions{})
	if got, err := quiet.Exec(t.Context(), quiet.h, execctx.ExecRequest{Command: "x"}); err != nil || *got.ExitCode != 0 || len(got.Output) > 0 {
		t.Errorf("without a script: %+v, %v", got, err)
	}
}

// A handoff: the host moves a command that runs, and hears of its end as of any
// task's.
func TestMock_handoff_EX71(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMocked(t, execctx.MockOptions{OnExec: func(execctx.MockRun) execctx.MockScript {
			return execctx.MockScript{Steps: []execctx.MockStep{
				{Print: "compiling\n"}, {After: time.Minute, Print: "testing\n"}, {After: time.Minute},
			}, Exit: &execctx.MockExit{Code: 1}}
		}})
		log := newEvents(execctx.SystemClock{})
		ctx, giveUp := context.WithCancel(t.Context())
		call, err := m.StartExec(ctx, m.h, execctx.ExecRequest{Command: "make", OutputDir: "/tasks", Timeout: 90 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		elapse(time.Second)
		launched, err := call.Move(execctx.MoveRequest{OnExit: log.exit, OnStall: log.stall, StallTimeout: 45 * time.Second})
		if err != nil || launched.PID != call.PID() {
			t.Fatalf("moved to %+v, %v", launched, err)
		}
		giveUp()
		result, err := call.Result()
		if err != nil || string(result.Output) != "compiling\n" || result.Moved == nil || result.ExitCode != nil || result.DurationMS != 1000 {
			t.Errorf("result %+v, %v", result, err)
		}
		elapse(time.Hour)
		want := []string{
			"46.000000001s bash_1 stalled for 46000 ms",
			"1m45.000000002s bash_1 stalled for 45000 ms",
			"2m0.000000003s bash_1 exited 1",
		}
		if diff := cmp.Diff(want, log.all(), cmp.Comparer(func(a, b string) bool { return withoutNanos(a) == withoutNanos(b) })); diff != "" {
			t.Errorf("what happened (-want +got):\n%s", diff)
		}
		if got := m.read(launched.OutputPath); got != "compiling\ntesting\n" {
			t.Errorf("log %q", got)
		}
		if m.Exit("exec_1", execctx.MockExit{}) {
			t.Error("ended twice, by its old name")
		}
	})
}

// withoutNanos leaves the last digits of a time out: they set events apart.
func withoutNanos(event string) string {
	for i := range len(event) {
		if event[i] == '.' {
			for j := i; j < len(event); j++ {
				if event[j] == 's' {
					return event[:i] + event[j:]
				}
			}
		}
	}
	return event
}

func TestMock_execEndsByTheTest_EX70(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMocked(t, onExecRuns())
		results := make(chan execctx.ExecResult)
		go func() {
			result, _ := m.Exec(t.Context(), m.h, execctx.ExecRequest{Command: "runs", Timeout: time.Minute})
			results <- result
		}()
		synctest.Wait()
		m.Print("exec_1", "asked\n")
		m.Exit("exec_1", execctx.MockExit{Code: 4})
		if result := <-results; string(result.Output) != "asked\n" || *result.ExitCode != 4 {
			t.Errorf("result %+v", result)
		}
		elapse(2 * time.Minute) // no timeout comes after the end
	})
}

func TestMock_files(t *testing.T) {
	m := newMocked(t, execctx.MockOptions{})
	ctx := t.Context()
	if err := m.WriteFile(ctx, m.h, "a/b.txt", []byte("b")); err != nil {
		t.Fatal(err)
	}
	if got := m.read("/mock/a/../a/b.txt"); got != "b" {
		t.Errorf("read %q", got)
	}
	infos, err := m.ListFiles(ctx, m.h, "/")
	if diff := cmp.Diff([]execctx.FileInfo{{Name: "mock", Dir: true}}, infos); diff != "" || err != nil {
		t.Errorf("root (-want +got):\n%s, %v", diff, err)
	}
	for _, err := range []error{
		m.WriteFile(ctx, m.h, "a", nil), m.WriteFile(ctx, m.h, "a/b.txt/c", nil),
		second(m.ReadFile(ctx, m.h, "a")), second(m.ListFiles(ctx, m.h, "a/b.txt")),
	} {
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a file is a folder, or a folder a file: %v", err)
		}
	}
	ended, cancel := context.WithCancelCause(ctx)
	cancel(errScripted)
	if _, err := m.ReadFile(ended, m.h, "a/b.txt"); !errors.Is(err, errScripted) {
		t.Errorf("read for a caller that gave up: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

// A script waits for a file, as commands that wait for each other do.
func TestMock_awaitFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMocked(t, execctx.MockOptions{OnLaunch: func(execctx.MockRun) execctx.MockScript {
			return execctx.MockScript{Steps: []execctx.MockStep{{AwaitFile: "go", After: time.Second, Print: "went"}}, Exit: &execctx.MockExit{}}
		}})
		log := newEvents(execctx.SystemClock{})
		m.launch("x", log.onExit)
		elapse(time.Hour)
		if err := m.WriteFile(t.Context(), m.h, "go", nil); err != nil {
			t.Fatal(err)
		}
		elapse(2 * time.Second)
		m.launch("y", log.onExit) // the file is there
		elapse(2 * time.Second)
		if len(log.all()) != 2 {
			t.Errorf("happened: %v", log.all())
		}
	})
}
