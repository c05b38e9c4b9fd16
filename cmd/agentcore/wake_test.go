//go:build unix

package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// RT-60, AC-54: Ctrl-C ends the program that waits for a task, and the task with it; a
// supervised one goes on and is named.
func TestRun_wakeInterrupted_AC54(t *testing.T) {
	for _, kind := range []string{contextProcess, contextSupervised} {
		t.Run(kind, func(t *testing.T) {
			a := newProgram(t, map[string]string{})
			script := filepath.Join(a.dir, "s.yaml")
			err := os.WriteFile(script, []byte(`steps:
  - tools: [{name: shell, input: {command: "exec sleep 600", run_in_background: true}}]
  - {text: I wait.}
`), 0o600)
			if err != nil {
				t.Fatal(err)
			}
			ctx, interrupt := context.WithCancel(t.Context())
			a.interrupted = func() (context.Context, func()) { return ctx, func() {} }
			done := make(chan int, 1)
			state := filepath.Join(a.dir, "state")
			go func() {
				done <- a.run([]string{"agentcore", "run", "-p", "x", "--scripted", script, "--wake", "--context", kind, "--permissions", "all",
					"--state-dir", state, "--session-id", killedSession})
			}()
			path := filepath.Join(state, "sessions", killedSession, killedSession+".jsonl")
			until(t, "the answer", func() bool {
				rows, _ := os.ReadFile(path)
				return strings.Contains(string(rows), "I wait.")
			})
			interrupt()
			if code := <-done; code != exitInterrupted {
				t.Errorf("exit code %d, want %d\n%s", code, exitInterrupted, a.err)
			}
			want := map[string]string{contextProcess: "bash_1 ends now, with this program", contextSupervised: "bash_1 goes on"}[kind]
			if !strings.Contains(a.err.String(), want) {
				t.Errorf("stderr lacks %q:\n%s", want, a.err)
			}
			if kind == contextSupervised {
				a.interrupted = func() (context.Context, func()) { return context.WithCancel(t.Context()) }
				if code := a.run([]string{"agentcore", "tasks", "kill", killedSession, "bash_1", "--state-dir", state}); code != 0 {
					t.Errorf("kill: exit code %d\n%s", code, a.err)
				}
			}
		})
	}
}
