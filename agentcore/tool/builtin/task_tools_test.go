package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/agentcore/tool"
	"github.com/stophook/stophook/execctx"
)

// started gives the tools with one task that runs, bash_1.
func started(t *testing.T, opts execctx.MockOptions) (*workspace, *execctx.Mock, *lender) {
	t.Helper()
	w, mock := inMock(t, opts)
	l := lend(w, interactive)
	if got := w.call("shell", `{"command":"make","run_in_background":true}`); got.IsError {
		t.Fatal(got.Text)
	}
	return w, mock, l
}

func TestShellKill_AC12_texts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tc := range []struct {
			reason string
			term   *execctx.MockTerm
			exit   *execctx.MockExit // before the kill
			want   string
		}{
			{"by the signal", nil, nil, "Killed bash_1: killed (SIGTERM) after 1.5s."},
			{"by itself under it (D-41)", &execctx.MockTerm{Exit: &execctx.MockExit{Code: 3}}, nil, "Killed bash_1: exited 3 after 1.5s."},
			{"it ignores the signal", &execctx.MockTerm{Ignore: true}, nil, "Killed bash_1: killed (SIGKILL) after 6.5s."},
			{"it had ended", nil, &execctx.MockExit{Code: 0}, "Killed bash_1: exited 0 after 1s."},
			{"it had been killed", nil, &execctx.MockExit{Code: 137, Signal: "SIGKILL"}, "Killed bash_1: killed (SIGKILL) after 1s."},
			{"nobody saw its end", nil, &execctx.MockExit{Lost: true}, "Killed bash_1: lost (nobody saw its end) after 1s."},
			{"with a warning", nil, &execctx.MockExit{Warnings: []string{"the disk was full"}}, "Killed bash_1: exited 0 after 1s.\nNote: the disk was full"},
		} {
			w, mock, _ := started(t, execctx.MockOptions{OnLaunch: func(execctx.MockRun) execctx.MockScript { return execctx.MockScript{Term: tc.term} }})
			pass(time.Second)
			if tc.exit != nil {
				mock.Exit("bash_1", *tc.exit)
			}
			pass(500 * time.Millisecond)
			for range 2 { // the second time the end is known (AC-12)
				got := w.call("shell_kill", `{"task_id":"bash_1"}`)
				if diff := cmp.Diff(tc.want, got.Text); diff != "" || got.IsError {
					t.Errorf("%s: error %v\n%s", tc.reason, got.IsError, diff)
				}
				line, _, _ := strings.Cut(tc.want, "\n")
				if s := shapeOf(t, got); s != `{"message":"`+line+`","task_id":"bash_1","task_type":"local_bash","command":"make"}` {
					t.Errorf("%s: %s", tc.reason, s)
				}
			}
		}
	})
}

func TestShellKill_D17_unknownTask(t *testing.T) {
	w, _, _ := started(t, execctx.MockOptions{})
	w.call("shell", `{"command":"x","run_in_background":true}`)
	for _, name := range []string{"shell_kill", "wait_task"} {
		got := w.call(name, `{"task_id":"bash_7"}`)
		if want := `Nothing was done: there is no task "bash_7": the tasks are bash_1, bash_2.`; got.Text != want || !got.IsError || got.Structured != nil {
			t.Errorf("%s: %+v", name, got)
		}
		if got := w.call(name, `{"task_id":""}`); !got.IsError || !strings.Contains(got.Text, "task_id") {
			t.Errorf("%s: %+v", name, got)
		}
	}
	gone, mock := inMock(t, execctx.MockOptions{})
	lend(gone, interactive)
	if err := mock.Destroy(t.Context(), gone.env.Handle); err != nil {
		t.Fatal(err)
	}
	if got := gone.call("shell_kill", `{"task_id":"bash_1"}`); !got.IsError || !strings.Contains(got.Text, `there is no task "bash_1", and no other`) {
		t.Errorf("after a destroy: %+v", got)
	}
}

// scripted is an agent whose answers are given.
type scripted struct {
	*lender
	end *execctx.ExitInfo
	err error
}

func (s *scripted) Kill(context.Context, string) (*execctx.ExitInfo, error) { return s.end, s.err }
func (s *scripted) Wait(context.Context, string, time.Duration) (*execctx.ExitInfo, error) {
	return s.end, s.err
}

func TestTaskTools_D19_whatTheAgentSays(t *testing.T) {
	w, _, l := started(t, execctx.MockOptions{})
	for _, tc := range []struct {
		reason, name string
		err          error
		want         string
	}{
		{"the agent cannot", "shell_kill", &tool.NotSupportedError{What: "ending background tasks"}, "Nothing was done: ending background tasks is not possible here: the execution context cannot do it."},
		{"the agent cannot", "wait_task", &tool.NotSupportedError{What: "waiting"}, "Nothing was done: waiting is not possible here: the execution context cannot do it."},
		{"the context cannot", "wait_task", &execctx.UnsupportedError{Ability: "waiting"}, "Nothing was done: waiting is not supported in this execution context."},
		{"nothing, of a kill", "shell_kill", nil, `Nothing was done: there is no task "bash_1", and no other: nothing was started in the background.`},
	} {
		w.env.Tasks = &scripted{l, nil, tc.err}
		if got := w.call(tc.name, `{"task_id":"bash_1"}`); got.Text != tc.want || !got.IsError {
			t.Errorf("%s: %+v", tc.reason, got)
		}
	}
	broken := errors.New("the store is broken")
	w.env.Tasks = &scripted{l, nil, broken}
	for _, name := range []string{"shell_kill", "wait_task"} {
		call := &tool.Call{ID: "t1", Name: name, Input: json.RawMessage(`{"task_id":"bash_1"}`), Env: w.env}
		if _, err := w.reg.Run(t.Context(), call); !errors.Is(err, broken) {
			t.Errorf("%s: %v", name, err)
		}
	}
	w.env.Tasks = nil
	for _, name := range []string{"shell_kill", "wait_task"} {
		if got := w.call(name, `{"task_id":"bash_1"}`); got.Text != "There are no background tasks in this session." || !got.IsError {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestWaitTask_AC13_texts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tc := range []struct {
			reason string
			exit   execctx.MockExit
			want   string
			status string
		}{
			{"success", execctx.MockExit{}, "bash_1: exited 0 after 1s. Output: PATH", `"completed","description":"make","exitCode":0`},
			{"failure", execctx.MockExit{Code: 2}, "bash_1: exited 2 after 1s. Output: PATH", `"failed","description":"make","exitCode":2`},
			{"a signal", execctx.MockExit{Code: 143, Signal: "SIGTERM"}, "bash_1: killed (SIGTERM) after 1s. Output: PATH", `"killed","description":"make","exitCode":143`},
			{"lost", execctx.MockExit{Lost: true}, "bash_1: lost (nobody saw its end) after 1s. Output: PATH", `"failed","description":"make"`},
			{"a warning", execctx.MockExit{Warnings: []string{"the disk was full"}}, "bash_1: exited 0 after 1s. Output: PATH\nNote: the disk was full", `"completed","description":"make","exitCode":0`},
		} {
			w, mock, _ := started(t, execctx.MockOptions{})
			time.AfterFunc(time.Second, func() { mock.Exit("bash_1", tc.exit) })
			for range 2 { // the second time the end is known
				got := w.call("wait_task", `{"task_id":"bash_1"}`)
				entries, _ := mock.ListBackground(t.Context(), w.env.Handle)
				if diff := cmp.Diff(tc.want, strings.Replace(got.Text, entries[0].OutputPath, "PATH", 1)); diff != "" || got.IsError {
					t.Errorf("%s: error %v\n%s", tc.reason, got.IsError, diff)
				}
				if s := shapeOf(t, got); s != `{"retrieval_status":"success","task":{"task_id":"bash_1","task_type":"local_bash","status":`+tc.status+`}}` {
					t.Errorf("%s: %s", tc.reason, s)
				}
			}
		}
	})
}

func TestWaitTask_AC13_D18_bounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mock, l := started(t, execctx.MockOptions{})
		for _, tc := range []struct {
			input string
			waits time.Duration
			note  string
		}{
			{`{"task_id":"bash_1"}`, 2 * time.Minute, ""},
			{`{"task_id":"bash_1","timeout_ms":null}`, 2 * time.Minute, ""},
			{`{"task_id":"bash_1","timeout_ms":1}`, time.Millisecond, ""},
			{`{"task_id":"bash_1","timeout_ms":1500}`, 1500 * time.Millisecond, ""},
			{`{"task_id":"bash_1","timeout_ms":1800000}`, 30 * time.Minute, ""},
			{`{"task_id":"bash_1","timeout_ms":1800001}`, 30 * time.Minute, "\nNote: timeout_ms was 1800001, the most is 1800000, which was used."},
			{`{"task_id":"bash_1","timeout_ms":100000000000000000000}`, 30 * time.Minute, "\nNote: timeout_ms was 100000000000000000000, the most is 1800000, which was used."},
		} {
			began := time.Now()
			got := w.call("wait_task", tc.input)
			want := "wait_task: timed out after " + tc.waits.String() + ". bash_1 runs on; wait again, or go on with other work." + tc.note
			if diff := cmp.Diff(want, got.Text); diff != "" || got.IsError {
				t.Errorf("%s: error %v\n%s", tc.input, got.IsError, diff)
			}
			if took := time.Since(began).Round(time.Millisecond); took != tc.waits || l.timeouts[len(l.timeouts)-1] != tc.waits {
				t.Errorf("%s: waited %v", tc.input, took)
			}
			if s := shapeOf(t, got); s != `{"retrieval_status":"timeout","task":{"task_id":"bash_1","task_type":"local_bash","status":"running"}}` {
				t.Error(s)
			}
		}
		if running := mock.Running(); len(running) != 1 {
			t.Errorf("the task was touched: %v", running)
		}
		asked := len(l.timeouts)
		made, _ := w.reg.Get("wait_task")
		for _, bad := range []string{"0", "-5", "1.5", `"soon"`, "true"} {
			input := `{"task_id":"bash_1","timeout_ms":` + bad + `}`
			if got := w.call("wait_task", input); !got.IsError || !strings.Contains(got.Text, "timeout_ms") {
				t.Errorf("%s by the schema: %+v", bad, got)
			}
			got, err := made.Run(t.Context(), &tool.Call{ID: "t1", Name: "wait_task", Input: json.RawMessage(input), Env: w.env})
			if err != nil || !got.IsError || !strings.Contains(got.Text, "timeout_ms") {
				t.Errorf("%s past the schema: %+v, %v", bad, got, err)
			}
		}
		if len(l.timeouts) != asked {
			t.Errorf("something was waited for: %v", l.timeouts[asked:])
		}
		time.AfterFunc(time.Hour/4, func() { mock.Exit("bash_1", execctx.MockExit{}) })
		if got := w.call("wait_task", `{"task_id":"bash_1","timeout_ms":7200000}`); !strings.HasSuffix(got.Text, "\nNote: timeout_ms was 7200000, the most is 1800000, which was used.") || !strings.HasPrefix(got.Text, "bash_1: exited 0 after") {
			t.Errorf("an end says it as well: %q", got.Text)
		}
	})
}

func TestTaskTools_D18_D19_abortCancelsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mock, l := started(t, execctx.MockOptions{OnLaunch: func(execctx.MockRun) execctx.MockScript {
			return execctx.MockScript{Term: &execctx.MockTerm{Ignore: true}}
		}})
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(errors.New("esc")) })
		got := w.callContext(ctx, "wait_task", `{"task_id":"bash_1"}`)
		if want := "The call was aborted by the user, while it ran: only the waiting ended, the task was not touched."; got.Text != want || !got.Aborted || !got.IsError || got.Structured != nil {
			t.Errorf("%+v", got)
		}
		if running := mock.Running(); len(running) != 1 {
			t.Errorf("the task was touched: %v", running)
		}
		end := &execctx.ExitInfo{TaskID: "bash_1", Status: execctx.StatusExited, ExitCode: new(int)}
		made, _ := w.reg.Get("wait_task")
		l.env.Tasks = &scripted{l, end, nil}
		call := &tool.Call{ID: "t1", Name: "wait_task", Input: json.RawMessage(`{"task_id":"bash_1"}`), Env: w.env}
		if got, err := made.Run(ctx, call); err != nil || got.Aborted || !strings.HasPrefix(got.Text, "bash_1: exited 0") {
			t.Errorf("an end that was seen is told: %+v, %v", got, err)
		}
		l.env.Tasks = l
		ctx, cancel = context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(errors.New("esc")) })
		if got := w.callContext(ctx, "shell_kill", `{"task_id":"bash_1"}`); !got.Aborted || !got.IsError || got.Structured != nil {
			t.Errorf("%+v", got)
		}
		pass(time.Minute) // the kill goes on
		if running := mock.Running(); len(running) != 0 {
			t.Errorf("%v", running)
		}
	})
}

func TestShellKill_AC12_realProcess(t *testing.T) {
	w := process(t, execctx.ProcessOptions{})
	lend(w, interactive)
	got := w.call("shell", `{"command":"sleep 60 & echo up; sleep 60","run_in_background":true}`)
	if got.IsError {
		t.Fatal(got.Text)
	}
	first := w.call("shell_kill", `{"task_id":"bash_1"}`)
	if !strings.HasPrefix(first.Text, "Killed bash_1: killed (SIGTERM) after ") || first.IsError {
		t.Errorf("%q", first.Text)
	}
	if again := w.call("shell_kill", `{"task_id":"bash_1"}`); again.Text != first.Text || again.IsError {
		t.Errorf("%q, then %q", first.Text, again.Text)
	}
	if res := w.call("wait_task", `{"task_id":"bash_1"}`); !strings.HasPrefix(res.Text, "bash_1: killed (SIGTERM) after ") {
		t.Errorf("%q", res.Text)
	}
}
