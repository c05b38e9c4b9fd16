package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/model/modeltest"
)

// at is a program in a folder of its own, with an environment.
type at struct {
	*program
	dir      string
	out, err *bytes.Buffer
}

func newProgram(t *testing.T, env map[string]string) *at {
	t.Helper()
	a := &at{dir: t.TempDir(), out: &bytes.Buffer{}, err: &bytes.Buffer{}}
	p := &program{stdin: strings.NewReader(""), stdout: a.out, stderr: a.err, home: filepath.Join(a.dir, "home"), now: time.Now,
		getenv:      func(name string) string { return env[name] },
		workdir:     func() (string, error) { return a.dir, nil },
		interrupted: func() (context.Context, func()) { return context.WithCancel(t.Context()) }}
	p.environ = []string{"PATH=" + os.Getenv("PATH")}
	for k, v := range env {
		p.environ = append(p.environ, k+"="+v)
	}
	a.program = p
	return a
}

// everything is all that the program wrote anywhere.
func (a *at) everything(t *testing.T) string {
	t.Helper()
	all := a.out.String() + a.err.String()
	err := filepath.WalkDir(a.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		all += string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// RT-23, RT-24: each provider is asked with the key of the environment, which turns
// up nowhere else, and the tools of the answer run.
func TestRun_providers_RT23_RT24(t *testing.T) {
	for _, test := range []struct {
		name     string
		api      modeltest.API
		key, url string
	}{
		{"anthropic/m", modeltest.Anthropic, envAnthropicKey, envAnthropicURL},
		{"openai/m", modeltest.Responses, envOpenAIKey, envOpenAIURL},
		{"openai-chat/m", modeltest.Chat, envOpenAIKey, envOpenAIURL},
	} {
		t.Run(test.name, func(t *testing.T) {
			call := model.Block{Type: model.BlockToolUse, ID: "call_1", Name: "shell", Input: json.RawMessage(`{"command":"env"}`)}
			server := modeltest.NewServer(t, test.api,
				modeltest.Answer(&model.Message{Content: []model.Block{call}, StopReason: model.StopToolUse}),
				modeltest.Answer(&model.Message{Content: []model.Block{model.Text("All is well.")}, StopReason: model.StopEndTurn}))
			a := newProgram(t, map[string]string{test.key: modeltest.APIKey, test.url: server.BaseURL})
			if code := a.run([]string{"agentcore", "run", "-p", "look", "--model", test.name, "--permissions", "all", "-v"}); code != 0 {
				t.Fatalf("exit %d: %s", code, a.err)
			}
			if got := a.out.String(); got != "All is well.\n" {
				t.Errorf("stdout %q", got)
			}
			if all := a.everything(t); strings.Contains(all, modeltest.APIKey) {
				t.Errorf("the key turned up in:\n%s", all)
			}
			if code := a.run([]string{"agentcore", "sessions", "--json"}); code != 0 || !strings.Contains(a.out.String(), `"model": "`+test.name+`"`) {
				t.Errorf("sessions: %d\n%s", code, a.out)
			}
		})
	}
}

// RT-24: a refused key is said without showing it.
func TestRun_refusedKey_RT24(t *testing.T) {
	server := modeltest.NewServer(t, modeltest.Anthropic, modeltest.Fail(401, "authentication_error", "invalid x-api-key"))
	a := newProgram(t, map[string]string{envAnthropicKey: modeltest.APIKey, envAnthropicURL: server.BaseURL, envModel: "anthropic/m"})
	if code := a.run([]string{"agentcore", "run", "-p", "look"}); code != exitFailed {
		t.Fatalf("exit %d: %s", code, a.err)
	}
	if !strings.Contains(a.err.String(), "invalid x-api-key") || strings.Contains(a.everything(t), modeltest.APIKey) {
		t.Errorf("stderr: %s", a.err)
	}
}

// RT-5, RT-60: an interrupt ends the run in order: the open call is answered, the
// exit code says so, and the session goes on later.
func TestRun_interrupt_RT5_RT60(t *testing.T) {
	a := newProgram(t, nil)
	script := filepath.Join(a.dir, "s.yaml")
	if err := os.WriteFile(script, []byte("steps:\n- tools: [{name: shell, input: {command: sleep 300}}]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	a.interrupted = func() (context.Context, func()) { return ctx, cancel }
	a.stdout = trigger{a.out, `"type":"tool_start"`, cancel}
	if code := a.run([]string{"agentcore", "run", "-p", "wait", "--scripted", script, "--permissions", "all", "--output", "stream-json"}); code != exitInterrupted {
		t.Fatalf("exit %d: %s", code, a.err)
	}
	if !strings.Contains(a.err.String(), "agentcore resume") {
		t.Errorf("stderr: %s", a.err)
	}
	if err := os.WriteFile(script, []byte("steps:\n- {expect: {tool_error: true, text: and now}, text: Going on.}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	a.stdout = a.out
	a.interrupted = func() (context.Context, func()) { return context.WithCancel(t.Context()) }
	if code := a.run([]string{"agentcore", "resume", "--last", "-p", "and now?", "--scripted", script}); code != 0 {
		t.Fatalf("resume: exit %d: %s", code, a.err)
	}
	if !strings.Contains(a.out.String(), "Going on.") {
		t.Errorf("stdout %q", a.out)
	}
}

// trigger calls a function when a text is written.
type trigger struct {
	io.Writer
	text string
	do   func()
}

func (w trigger) Write(b []byte) (int, error) {
	if strings.Contains(string(b), w.text) {
		w.do()
	}
	return w.Writer.Write(b)
}
