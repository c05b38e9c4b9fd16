//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/stophook/stophook/execctx"
	"github.com/stophook/stophook/execctx/supervised"
	"github.com/stophook/stophook/transcript"
)

const killedSession = "cccc1111-0000-4000-8000-000000000001"

// Issue 7, EX-81, AC-31, D-21: the agent is killed while a task of its runs; the task goes
// on, and the next agentcore on the session tells the model of its end, once. The
// programs are real ones.
func TestResume_afterSIGKILL_EX81_AC31(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program and runs it")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "agentcore")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	work, state, goFile := filepath.Join(dir, "work"), filepath.Join(dir, "state"), filepath.Join(dir, "go")
	if err := os.Mkdir(work, 0o700); err != nil {
		t.Fatal(err)
	}
	script := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	start := func(args ...string) (*exec.Cmd, *bytes.Buffer) {
		cmd := exec.CommandContext(t.Context(), program, args...)
		out := &bytes.Buffer{}
		cmd.Dir, cmd.Stdout, cmd.Stderr = work, out, out
		cmd.Env = append(os.Environ(), "HOME="+dir, "GO_FILE="+goFile, "XDG_STATE_HOME=")
		return cmd, out
	}
	run := func(args ...string) string {
		t.Helper()
		cmd, out := start(args...)
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return out.String()
	}

	// The second answer never comes: the agent is in the middle of its work.
	agent, said := start("run", "-p", "start it", "--context", "supervised", "--permissions", "all", "--state-dir", state, "--session-id", killedSession,
		"--scripted", script("first.yaml", `steps:
  - tools:
      - {name: shell, input: {command: "until test -e $GO_FILE; do sleep 0.02; done; echo survived", run_in_background: true}}
  - {text: never said, delay: 1h}
`))
	if err := agent.Start(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(state, "sessions", killedSession, killedSession+".jsonl")
	until(t, "the launch in the transcript", func() bool {
		rows, _ := os.ReadFile(path)
		return bytes.Contains(rows, []byte(`"backgroundTaskId":"bash_1"`))
	})
	if err := agent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := agent.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("the agent was not killed but %v\n%s", err, said)
	}

	if got := gjson.Get(run("tasks", "list", "--last", "--json", "--state-dir", state), "tasks.#.status").Raw; got != `["running"]` {
		t.Errorf("after the kill the tasks are %s, want one that runs", got)
	}
	if err := os.WriteFile(goFile, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	store, err := supervised.New(supervised.Options{Dir: storeDir(path)})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	handle, err := store.Spawn(t.Context(), execctx.SpawnConfig{HandleID: killedSession})
	if err != nil {
		t.Fatal(err)
	}
	if info, err := store.WaitBackground(t.Context(), handle, "bash_1", time.Minute); err != nil || info == nil || info.Status != execctx.StatusExited {
		t.Fatalf("the task came to %+v, %v", info, err)
	}
	if out := run("tasks", "logs", "--last", "bash_1", "--state-dir", state); out != "survived\n" {
		t.Errorf("the log is %q", out)
	}

	run("resume", "--last", "-p", "go on", "--permissions", "all", "--state-dir", state, "--scripted", script("second.yaml", `prefix: b
steps:
  - expect: {text: "<task-id>bash_1</task-id>\n<status>exited</status>\n<exit-code>0</exit-code>"}
    text: It survived.
`))
	run("resume", "--last", "-p", "once more", "--permissions", "all", "--state-dir", state, "--scripted", script("third.yaml", `prefix: c
steps:
  - {text: Nothing new.}
`))
	rows, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	for line := range strings.Lines(string(rows)) {
		if gjson.Get(line, "origin.kind").String() == "task-notification" {
			told++
		}
	}
	if told != 1 {
		t.Errorf("the transcript has %d notifications, want one:\n%s", told, rows)
	}
	facts, err := transcript.Read(path, transcript.Options{SessionID: killedSession})
	if err != nil || len(facts.Tasks) != 1 || facts.Tasks[0].State != transcript.TaskEnded {
		t.Errorf("transcript.Read says %+v, %v; want one task that ended", facts.Tasks, err)
	}
}

// until looks again and again whether something holds.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	limit := time.After(time.Minute)
	for !holds() {
		select {
		case <-ticker.C:
		case <-limit:
			t.Fatalf("%s did not come within a minute", what)
		}
	}
}
