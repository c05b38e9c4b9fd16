package builtin

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/agentcore/tool"
	"github.com/stophook/stophook/execctx"
)

func TestShell_AC183_movedToDeliverAMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mock := inMock(t, script(execctx.MockScript{Steps: []execctx.MockStep{{Print: "half\n"}}}))
		l := lend(w, interactive)
		go func() {
			f := <-l.running
			if f.callID != "t1" || f.command != "make" {
				t.Errorf("%+v", f)
			}
			pass(time.Second)
			if _, ok := f.move(t); !ok {
				t.Error("not moved")
			}
		}()
		got := w.call("shell", `{"command":"make","timeout_ms":60000}`)
		entries, _ := mock.ListBackground(t.Context(), w.env.Handle)
		if len(entries) != 1 || entries[0].Status != execctx.StatusRunning {
			t.Fatalf("%+v", entries)
		}
		first, _, _ := strings.Cut(got.Text, "\n")
		want := "The command goes on in the background as task bash_1 (pid " + number(entries[0].PID) + "), because a message was delivered. Output: " + entries[0].OutputPath
		if diff := cmp.Diff(want, first); diff != "" || got.IsError || got.Aborted || !strings.HasSuffix(got.Text, " Output until then:\nhalf") {
			t.Errorf("%+v\n%s", got, diff)
		}
		shape := `{"stdout":"half","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false,"backgroundTaskId":"bash_1","backgroundedToDeliverMessage":true}`
		if s := shapeOf(t, got); s != shape {
			t.Error(s)
		}
		if l.forgot != 1 {
			t.Errorf("forgotten %d times", l.forgot)
		}
		pass(2 * time.Minute) // the time limit of the call is not that of the task
		if entries, _ = mock.ListBackground(t.Context(), w.env.Handle); entries[0].Status != execctx.StatusRunning {
			t.Errorf("%+v", entries[0])
		}
		mock.Exit("bash_1", execctx.MockExit{})
	})
}

func number(n int) string { return ms(time.Duration(n) * time.Millisecond) }

// The result waits until the agent knows the task, and an abort ends that waiting,
// not the task.
func TestShell_AC183_waitsUntilTheTaskIsRegistered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, abort := range []bool{false, true} {
			w, mock := inMock(t, script(execctx.MockScript{}))
			l := lend(w, interactive)
			ctx, cancel := context.WithCancel(t.Context())
			var got *tool.Result
			finished := make(chan struct{})
			go func() {
				defer close(finished)
				got = w.callContext(ctx, "shell", `{"command":"make"}`)
			}()
			f := <-l.running
			synctest.Wait()
			if _, err := f.call.Move(execctx.MoveRequest{}); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			select {
			case <-finished:
				t.Fatal("the result was given before the task was registered")
			default:
			}
			if abort {
				cancel()
			} else {
				close(f.moved)
			}
			<-finished
			cancel()
			if out, ok := got.Structured.(ShellOutput); !ok || got.IsError || got.Aborted || out.BackgroundTaskID != "bash_1" {
				t.Errorf("%+v", got)
			}
			if running := mock.Running(); len(running) != 1 || running[0] != "bash_1" {
				t.Errorf("%v", running)
			}
			mock.Exit("bash_1", execctx.MockExit{})
		}
	})
}

// Only what the host could move is made movable.
func TestShell_AC183_whatIsNotMovable(t *testing.T) {
	plain := func(reason string, opts execctx.MockOptions, o tool.Offer, change func(*tool.Env)) {
		w, mock := inMock(t, opts)
		lend(w, o)
		change(w.env)
		if got := w.call("shell", `{"command":"x"}`); got.IsError || len(mock.Calls(execctx.MockSeamStartExec)) != 0 || len(mock.Calls(execctx.MockSeamExec)) != 1 {
			t.Errorf("%s: %+v, %+v", reason, got, mock.Calls())
		}
	}
	same := func(*tool.Env) {}
	plain("background is not offered", execctx.MockOptions{}, tool.Offer{}, same)
	plain("handoffs are not offered", execctx.MockOptions{}, tool.Offer{Background: true, Kill: true, Wait: true}, same)
	plain("handoffs without background", execctx.MockOptions{}, tool.Offer{Handoff: true}, same)
	plain("the agent lends nothing", execctx.MockOptions{}, interactive, func(e *tool.Env) { e.Tasks = nil })
	plain("no folder for output", execctx.MockOptions{}, interactive, func(e *tool.Env) { e.TasksDir = "" })
	plain("the context cannot", execctx.MockOptions{Hide: []any{(*execctx.ForegroundStarter)(nil)}}, interactive, same)

	w, mock := inMock(t, execctx.MockOptions{})
	l := lend(w, interactive)
	mock.Fail(execctx.MockSeamStartExec, &execctx.LaunchError{Command: "x", Op: "create the output directory", Err: os.ErrPermission})
	if got := w.call("shell", `{"command":"x"}`); got.IsError || l.forgot != 0 || len(mock.Calls(execctx.MockSeamExec)) != 1 {
		t.Errorf("a command runs where its output file cannot be made: %+v", got)
	}
	mock.FailAlways(execctx.MockSeamStartExec, execctx.ErrUnknownHandle)
	made, _ := w.reg.Get("shell")
	if _, err := made.Run(t.Context(), &tool.Call{ID: "t1", Name: "shell", Input: []byte(`{"command":"x"}`), Env: w.env}); !errors.Is(err, execctx.ErrUnknownHandle) {
		t.Errorf("%v", err)
	}
}

// A command that ends while it is moved is either: a result, and no task, or a
// task, and a result that names it.
func TestShell_AC183_endsWhileItIsMoved(t *testing.T) {
	w := process(t, execctx.ProcessOptions{MaxBackgroundTasks: execctx.NoTaskLimit})
	l := lend(w, interactive)
	moved, ended := 0, 0
	for i := range 60 {
		var task execctx.Launched
		var inTime bool
		var wg sync.WaitGroup
		wg.Go(func() {
			f := <-l.running
			if i%3 == 0 {
				<-f.call.Done() // for certain too late
			}
			task, inTime = f.move(t)
		})
		got := w.call("shell", `{"command":"echo done"}`)
		wg.Wait()
		out, ok := got.Structured.(ShellOutput)
		if !ok || got.IsError {
			t.Fatalf("%+v", got)
		}
		if inTime != out.BackgroundedToDeliverMessage || out.BackgroundTaskID != task.TaskID {
			t.Fatalf("moved %v to %q, said %+v", inTime, task.TaskID, out)
		}
		if !inTime {
			ended++
			if got.Text != "done" {
				t.Fatalf("%q", got.Text)
			}
			continue
		}
		moved++
		if res := w.call("wait_task", map[string]any{"task_id": task.TaskID}); !strings.HasPrefix(res.Text, task.TaskID+": exited 0 after ") {
			t.Fatalf("%q", res.Text)
		}
		if data, err := os.ReadFile(task.OutputPath); err != nil || string(data) != "done\n" {
			t.Fatalf("%q, %v", data, err)
		}
	}
	t.Logf("%d moved, %d ended before", moved, ended)
	if ended < 20 || l.forgot != 60 {
		t.Errorf("%d ended before, %d forgotten", ended, l.forgot)
	}
}

// A command that is moved while it is aborted is either broken off, or a task that
// goes on.
func TestShell_AC183_abortedWhileItIsMoved(t *testing.T) {
	w := process(t, execctx.ProcessOptions{MaxBackgroundTasks: execctx.NoTaskLimit})
	l := lend(w, interactive)
	for range 15 {
		ctx, cancel := context.WithCancel(t.Context())
		var task execctx.Launched
		var inTime bool
		var wg sync.WaitGroup
		wg.Go(func() {
			f := <-l.running
			wg.Go(cancel)
			task, inTime = f.move(t)
		})
		got := w.callContext(ctx, "shell", `{"command":"sleep 30"}`)
		wg.Wait()
		out, _ := got.Structured.(ShellOutput)
		if inTime == got.Aborted || out.BackgroundTaskID != task.TaskID {
			t.Fatalf("moved %v to %q, said %+v", inTime, task.TaskID, got)
		}
		if inTime {
			if res := w.call("shell_kill", map[string]any{"task_id": task.TaskID}); !strings.HasPrefix(res.Text, "Killed "+task.TaskID+": killed (SIGTERM) after ") {
				t.Fatalf("%q", res.Text)
			}
		}
	}
}
