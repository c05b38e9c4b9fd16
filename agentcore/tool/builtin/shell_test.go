package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/agentcore/tool"
	"github.com/stophook/stophook/execctx"
)

// inMock gives the tools in a context that pretends.
func inMock(t testing.TB, opts execctx.MockOptions) (*workspace, *execctx.Mock) {
	t.Helper()
	mock := execctx.NewMock(opts)
	h, err := mock.Spawn(t.Context(), execctx.SpawnConfig{CWD: "/proj"})
	if err != nil {
		t.Fatal(err)
	}
	w := &workspace{t: t, dir: "/proj", env: &tool.Env{Exec: mock, Handle: h}}
	w.use(Options{})
	return w, mock
}

func script(s execctx.MockScript) execctx.MockOptions {
	return execctx.MockOptions{OnExec: func(execctx.MockRun) execctx.MockScript { return s }}
}

func prints(text string, exit execctx.MockExit) execctx.MockOptions {
	return script(execctx.MockScript{Steps: []execctx.MockStep{{Print: text}}, Exit: &exit})
}

func TestShell_results(t *testing.T) {
	for _, tc := range []struct {
		reason  string
		opts    execctx.MockOptions
		input   map[string]any
		want    string
		isError bool
		shape   string
	}{
		{"output", prints("hello\n\n", execctx.MockExit{}), nil, "hello", false,
			`{"stdout":"hello","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false}`},
		{"none", prints("", execctx.MockExit{}), nil, "(It succeeded and printed nothing.)", false,
			`{"stdout":"","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false}`},
		{"a failure begins with its code", prints("no such file\n", execctx.MockExit{Code: 2}), nil, "Exit code 2\nno such file", true,
			`"Error: Exit code 2\nno such file"`},
		{"a failure without words", prints("", execctx.MockExit{Code: 1}), nil, "Exit code 1", true, `"Error: Exit code 1"`},
		{"a signal", prints("half", execctx.MockExit{Code: 143, Signal: "SIGTERM"}), nil, "Exit code 143\nhalf\nNote: it was ended by SIGTERM.", true,
			`"Error: Exit code 143\nhalf\nNote: it was ended by SIGTERM."`},
		{"a warning", prints("up\n", execctx.MockExit{Warnings: []string{"it left server behind"}}), nil, "up\nNote: it left server behind", false,
			`{"stdout":"up","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false}`},
		{"colours and titles are taken out", prints("\x1b]0;title\a\x1b[1;31mred\x1b[0m \x1bX \x07", execctx.MockExit{}), nil, "red ␛X ␇", false, ""},
		{"it cannot be started", script(execctx.MockScript{Err: errors.New("fork failed")}), nil,
			"The command could not be started: " + (&execctx.LaunchError{Command: "x", Op: "start", Err: errors.New("fork failed")}).Error(), true, ""},
	} {
		w, _ := inMock(t, tc.opts)
		got := w.call("shell", map[string]any{"command": "x"})
		if tc.shape == "" && got.Structured == nil && tc.isError {
			if !strings.HasPrefix(got.Text, "The command could not be started: ") || !got.IsError {
				t.Errorf("%s: %+v", tc.reason, got)
			}
			continue
		}
		if diff := cmp.Diff(tc.want, got.Text); diff != "" || got.IsError != tc.isError {
			t.Errorf("%s: error %v\n%s", tc.reason, got.IsError, diff)
		}
		if shape, err := json.Marshal(got.Structured); err != nil || tc.shape != "" && string(shape) != tc.shape {
			t.Errorf("%s: %s, %v", tc.reason, shape, err)
		}
	}
}

func TestShell_timeLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mock := inMock(t, script(execctx.MockScript{Steps: []execctx.MockStep{{Print: "working\n"}}}))
		got := w.call("shell", `{"command":"sleep 999","timeout_ms":1500}`)
		want := "The command timed out after 1.5s and was ended, with everything it had started. Give a longer timeout_ms, or do the work in smaller steps. Output until then:\nworking"
		if diff := cmp.Diff(want, got.Text); diff != "" || !got.IsError {
			t.Error(diff)
		}
		if out, ok := got.Structured.(ShellOutput); !ok || !out.Interrupted || out.Stdout != "working" {
			t.Errorf("%+v", got.Structured)
		}
		w.call("shell", `{"command":"x"}`)
		if req := mock.Calls(execctx.MockSeamExec)[1].Request.(execctx.ExecRequest); req.Timeout != 2*time.Minute {
			t.Errorf("without a limit: %v", req.Timeout)
		}
		if got := w.call("shell", `{"command":"x","timeout_ms":600001}`); !strings.Contains(got.Text, `"timeout_ms" must be an integer ≥ 1 and ≤ 600000, got 600001`) {
			t.Error(got.Text)
		}
		w.use(Options{Shell: ShellOptions{MaxTimeout: time.Second, Env: map[string]string{"A": "b"}}})
		w.call("shell", `{"command":"x"}`)
		if req := mock.Calls(execctx.MockSeamExec)[2].Request.(execctx.ExecRequest); req.Timeout != time.Second || req.Env["A"] != "b" {
			t.Errorf("%+v", req)
		}
	})
}

func TestShell_RT5_aborted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _ := inMock(t, script(execctx.MockScript{Steps: []execctx.MockStep{{Print: "half\n"}}}))
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(3*time.Second, func() { cancel(errors.New("esc")) })
		got := w.callContext(ctx, "shell", `{"command":"make"}`)
		want := "The call was aborted by the user, while it ran: a part of the work may be done. The command had run for 3s; it was ended, with everything it had started. Output until then:\nhalf"
		if diff := cmp.Diff(want, got.Text); diff != "" || !got.IsError || !got.Aborted {
			t.Errorf("%+v\n%s", got, diff)
		}
	})
}

func TestShell_RT31_longOutput(t *testing.T) {
	var b strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	w, _ := inMock(t, prints(b.String(), execctx.MockExit{Code: 3}))
	w.use(Options{Shell: ShellOptions{MaxOutput: 1000}})
	got := w.call("shell", `{"command":"x"}`)
	if !strings.HasPrefix(got.Text, "Exit code 3\nline 0\n") || !strings.HasSuffix(got.Text, "\nline 19999") {
		t.Errorf("%q", got.Text)
	}
	kept := len(strings.Split(got.Text, "[...")[0]) - len("Exit code 3\n") + len(strings.SplitN(got.Text, "...]\n", 2)[1])
	if missing := b.Len() - 1 - kept; abs(got.Cut.Bytes-missing) > 100 || !strings.Contains(got.Text, "redirect the output to a file") {
		t.Errorf("%d bytes are missing, said: %+v, %q", missing, got.Cut, got.Text[400:])
	}
}

func abs(n int) int { return max(n, -n) }

func TestShell_nowhere(t *testing.T) {
	w := newWorkspace(t, nil)
	if got := w.call("shell", `{"command":"x"}`); !got.IsError || !strings.Contains(got.Text, "nowhere") {
		t.Errorf("%+v", got)
	}
	if got := w.call("shell", `{"command":"a\u0000b"}`); !got.IsError || !strings.Contains(got.Text, "NUL") {
		t.Errorf("%+v", got)
	}
	gone, mock := inMock(t, execctx.MockOptions{})
	if err := mock.Destroy(t.Context(), gone.env.Handle); err != nil {
		t.Fatal(err)
	}
	if _, err := gone.reg.Run(t.Context(), &tool.Call{Name: "shell", Input: json.RawMessage(`{"command":"x"}`), Env: gone.env}); !errors.Is(err, execctx.ErrUnknownHandle) {
		t.Errorf("a handle that is gone: %v", err)
	}
}

func TestShell_realProcess(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no commands run on Windows")
	}
	w := newWorkspace(t, nil)
	c := execctx.NewProcess(execctx.ProcessOptions{KillGrace: 100 * time.Millisecond})
	h, err := c.Spawn(t.Context(), execctx.SpawnConfig{CWD: w.dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Destroy(context.Background(), h) })
	w.env.Exec, w.env.Handle = c, h
	if got := w.call("shell", `{"command":"echo out; echo err >&2; pwd; exit 7"}`); w.said(got) != "error: Exit code 7\nout\nerr\n@DIR@\n" {
		t.Errorf("%q", w.said(got))
	}
	if got := w.call("shell", `{"command":"sleep 60 & sleep 60","timeout_ms":200}`); !strings.HasPrefix(got.Text, "The command timed out after 200ms") {
		t.Errorf("%q", got.Text)
	}
	if got := w.call("shell", `{"command":"kill -TERM $$"}`); !strings.HasPrefix(got.Text, "Exit code 143\n") {
		t.Errorf("%q", got.Text)
	}
}
