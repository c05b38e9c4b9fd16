package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/agentcore/tool"
	"github.com/stophook/stophook/execctx"
)

func shapeOf(t *testing.T, res *tool.Result) string {
	t.Helper()
	data, err := json.Marshal(res.Structured)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestShell_AC10_startedTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mock := inMock(t, execctx.MockOptions{})
		l := lend(w, interactive)
		w.offer(Options{Shell: ShellOptions{Env: map[string]string{"A": "b"}}}, interactive)
		got := w.call("shell", `{"command":"npm run dev","run_in_background":true}`)
		entries, _ := mock.ListBackground(t.Context(), w.env.Handle)
		if len(entries) != 1 || entries[0].Status != execctx.StatusRunning {
			t.Fatalf("%+v", entries)
		}
		want := fmt.Sprintf("Started bash_1 (pid %d). Output: %s\n\nIt runs in the background; read_file on that path shows its output. "+
			"Do not poll: go on with other work or end your turn, and a <task-notification> tells you when it has ended.", entries[0].PID, entries[0].OutputPath)
		if diff := cmp.Diff(want, got.Text); diff != "" || got.IsError {
			t.Error(diff)
		}
		shape := `{"stdout":"","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false,"backgroundTaskId":"bash_1"}`
		if s := shapeOf(t, got); s != shape {
			t.Error(s)
		}
		req := mock.Calls(execctx.MockSeamLaunch)[0].Request.(execctx.LaunchRequest)
		if req.Command != "npm run dev" || req.Env["A"] != "b" || len(l.launched) != 1 || l.launched[0] != "t1" {
			t.Errorf("%+v, %v", req, l.launched)
		}
		if n := len(mock.Calls(execctx.MockSeamExec, execctx.MockSeamStartExec)); n != 0 {
			t.Errorf("%d foreground runs", n)
		}
	})
}

// What the model is told to do next is what its agent can do (D-04, AC-16).
func TestShell_D04_guidance(t *testing.T) {
	for _, tc := range []struct {
		offer tool.Offer
		want  string
	}{
		{tool.Offer{Background: true}, "a <task-notification> tells you"},
		{tool.Offer{Background: true, Headless: true}, "collect the task before you end it"},
		{tool.Offer{Background: true, Headless: true, Subagent: true}, "Give its task_id in your summary and end your turn"},
	} {
		w, _ := inMock(t, execctx.MockOptions{})
		lend(w, tc.offer)
		if got := w.call("shell", `{"command":"x","run_in_background":true}`); !strings.Contains(got.Text, tc.want) {
			t.Errorf("%+v: %s", tc.offer, got.Text)
		}
		direct, ok := NewShell(ShellOptions{}).Adapt(tc.offer)
		res, err := direct.Run(t.Context(), &tool.Call{ID: "t2", Name: "shell", Input: json.RawMessage(`{"command":"x","run_in_background":true}`), Env: w.env})
		if !ok || err != nil || !strings.Contains(res.Text, tc.want) {
			t.Errorf("adapted without AdaptAll: %v, %v", res, err)
		}
	}
}

func TestShell_AC4_forgedFlag(t *testing.T) {
	const forged = `{"command":"touch x","run_in_background":true}`
	run := func(made tool.Tool, env *tool.Env) *tool.Result {
		t.Helper()
		res, err := made.Run(t.Context(), &tool.Call{ID: "t1", Name: "shell", Input: json.RawMessage(forged), Env: env})
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	w, mock := inMock(t, execctx.MockOptions{})
	if got := w.call("shell", forged); !got.IsError || !strings.Contains(got.Text, "run_in_background") {
		t.Errorf("by the schema: %+v", got)
	}
	want := "Nothing was run: there are no background tasks in this session. Leave run_in_background out to run the command in the foreground."
	plain := NewShell(ShellOptions{})
	if got := run(plain, w.env); !got.IsError || got.Text != want {
		t.Errorf("past the schema: %+v", got)
	}
	adapted := tool.AdaptAll([]tool.Tool{plain}, interactive)[0]
	if got := run(adapted, w.env); !got.IsError || got.Text != want {
		t.Errorf("offered, and no tasks: %+v", got)
	}
	lend(w, tool.Offer{})
	for _, made := range []tool.Tool{plain, tool.AdaptAll([]tool.Tool{plain}, tool.Offer{})[0], NewShell(ShellOptions{NoBackground: true})} {
		if got := run(made, w.env); !got.IsError || got.Text != want {
			t.Errorf("tasks, and not offered: %+v", got)
		}
	}
	if calls := mock.Calls(execctx.MockSeamExec, execctx.MockSeamStartExec, execctx.MockSeamLaunch); len(calls) != 0 {
		t.Errorf("something was run: %+v", calls)
	}
	if got := w.call("shell", `{"command":"x","run_in_background":null}`); got.IsError && !strings.Contains(got.Text, "run_in_background") {
		t.Errorf("null: %+v", got)
	}
}

func TestShell_D14_atTheCap(t *testing.T) {
	w, _ := inMock(t, execctx.MockOptions{MaxBackgroundTasks: 2})
	lend(w, interactive)
	for range 2 {
		w.call("shell", `{"command":"x","run_in_background":true}`)
	}
	got := w.call("shell", `{"command":"y","run_in_background":true}`)
	want := "Nothing was started: 2 background tasks run at once at most, and these do: bash_1, bash_2. " +
		"Either wait for one with wait_task, or end one with shell_kill, or run the command in the foreground."
	if diff := cmp.Diff(want, got.Text); diff != "" || !got.IsError || got.Structured != nil {
		t.Errorf("%+v\n%s", got, diff)
	}
	w.offer(Options{}, tool.Offer{Background: true})
	if got := w.call("shell", `{"command":"y","run_in_background":true}`); !strings.HasSuffix(got.Text, "bash_1, bash_2. Either run the command in the foreground.") {
		t.Error(got.Text)
	}
}

func TestShell_AC10_notLaunched(t *testing.T) {
	for _, tc := range []struct {
		reason string
		err    error
		want   string
	}{
		{"no process", &execctx.LaunchError{Command: "x", Op: "start", Err: errors.New("fork failed")}, `The command could not be started: start "x": start: fork failed`},
		{"the context cannot", execctx.ErrBackgroundUnsupported, "Nothing was run: background mode is not supported in this execution context. Leave run_in_background out"},
		{"the agent cannot", &tool.NotSupportedError{What: "background work", Why: "the agent is closed"}, "Nothing was run: background work is not possible here: the agent is closed. Leave"},
	} {
		w, _ := inMock(t, execctx.MockOptions{})
		lend(w, interactive).fail = fmt.Errorf("launch: %w", tc.err)
		got := w.call("shell", `{"command":"x","run_in_background":true}`)
		if !got.IsError || !strings.Contains(strings.Replace(got.Text, "launch: ", "", 1), tc.want) {
			t.Errorf("%s: %+v", tc.reason, got)
		}
	}
	w, _ := inMock(t, execctx.MockOptions{})
	l := lend(w, interactive)
	l.fail = execctx.ErrUnknownHandle
	call := &tool.Call{ID: "t1", Name: "shell", Input: json.RawMessage(`{"command":"x","run_in_background":true}`), Env: w.env}
	if _, err := w.reg.Run(t.Context(), call); !errors.Is(err, execctx.ErrUnknownHandle) {
		t.Errorf("what the model cannot mend ends the run: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	made, _ := w.reg.Get("shell")
	l.fail = context.Canceled
	cancel()
	if got, err := made.Run(ctx, call); err != nil || !got.Aborted || !strings.Contains(got.Text, "nothing was done") {
		t.Errorf("aborted while it started: %+v, %v", got, err)
	}
}

// A real task: the call returns while it runs, the path is absolute and verbatim,
// and read_file reads what is there (AC-11, AC-14).
func TestShell_AC11_realProcess(t *testing.T) {
	w := process(t, execctx.ProcessOptions{})
	lend(w, interactive)
	got := w.call("shell", `{"command":"echo out; echo err >&2; until [ -e go ]; do sleep 0.02; done; echo end","run_in_background":true}`)
	m := regexp.MustCompile(`^Started (bash_1) \(pid ([1-9][0-9]*)\)\. Output: (.*\.log)\n`).FindStringSubmatch(got.Text)
	if m == nil || !filepath.IsAbs(m[3]) {
		t.Fatalf("%q", got.Text)
	}
	if info, err := os.Stat(m[3]); err != nil || info.IsDir() {
		t.Fatal(err)
	}
	w.write("go", "")
	if res := w.call("wait_task", `{"task_id":"bash_1"}`); !strings.HasPrefix(res.Text, "bash_1: exited 0 after ") || !strings.HasSuffix(res.Text, " Output: "+m[3]) {
		t.Errorf("%q", res.Text)
	}
	res := w.call("read_file", map[string]any{"path": m[3]})
	if res.IsError || !strings.Contains(res.Text, "out") || !strings.Contains(res.Text, "err") || !strings.Contains(res.Text, "end") {
		t.Errorf("%q", res.Text)
	}
}

// Without the flag, a result is what it is without background work.
func TestShell_AC10_foregroundIsUnchanged(t *testing.T) {
	inputs := []string{`{"command":"echo hello; echo err >&2"}`, `{"command":"exit 3"}`, `{"command":"true"}`, `{"command":"kill -TERM $$"}`}
	var results [2][]string
	for i := range results {
		w := process(t, execctx.ProcessOptions{})
		if i == 1 {
			l := lend(w, interactive)
			defer func() {
				if l.forgot != len(inputs) {
					t.Errorf("%d of %d forgotten", l.forgot, len(inputs))
				}
				if left, _ := filepath.Glob(l.env.TasksDir + "/*"); len(left) != 0 {
					t.Errorf("files are left: %v", left)
				}
			}()
		}
		for _, input := range inputs {
			got := w.call("shell", input)
			results[i] = append(results[i], w.said(got)+shapeOf(t, got))
		}
	}
	if diff := cmp.Diff(results[0], results[1]); diff != "" {
		t.Error(diff)
	}
}

func TestShell_AC183_timeoutAndAbortOfAMovableCommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mock := inMock(t, script(execctx.MockScript{Steps: []execctx.MockStep{{Print: "working\n"}}}))
		l := lend(w, interactive)
		if got := w.call("shell", `{"command":"sleep 999","timeout_ms":1500}`); !strings.HasPrefix(got.Text, "The command timed out after 1.5s") {
			t.Error(got.Text)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(3*time.Second, func() { cancel(errors.New("esc")) })
		if got := w.callContext(ctx, "shell", `{"command":"make"}`); !got.Aborted || !strings.Contains(got.Text, "The command had run for 3s") {
			t.Errorf("%+v", got)
		}
		if l.forgot != 2 || len(mock.Calls(execctx.MockSeamStartExec)) != 2 || len(mock.Calls(execctx.MockSeamExec)) != 0 {
			t.Errorf("forgot %d, calls %+v", l.forgot, mock.Calls())
		}
	})
}
