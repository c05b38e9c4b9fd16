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
	b := build(t)
	path := filepath.Join(b.state, "agentcore", "sessions", killedSession, killedSession+".jsonl")

	// The second answer never comes: the agent is in the middle of its work.
	agent, said := b.command(t, "run", "-p", "start it", "--context", "supervised", "--permissions", "all", "--session-id", killedSession,
		"--scripted", b.script(t, "first.yaml", `steps:
  - tools:
      - {name: shell, input: {command: "until test -e $GO_FILE; do sleep 0.02; done; echo survived", run_in_background: true}}
  - {text: never said, delay: 1h}
`))
	if err := agent.Start(); err != nil {
		t.Fatal(err)
	}
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

	if got := gjson.Get(b.run(t, "tasks", "list", "--last", "--json"), "tasks.#.status").Raw; got != `["running"]` {
		t.Errorf("after the kill the tasks are %s, want one that runs", got)
	}
	if err := os.WriteFile(b.goFile, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ended(t, path)
	if out := b.run(t, "tasks", "logs", "--last", "bash_1"); out != "survived\n" {
		t.Errorf("the log is %q", out)
	}

	b.run(t, "resume", "--last", "-p", "go on", "--permissions", "all", "--scripted", b.script(t, "second.yaml", `prefix: b
steps:
  - expect: {text: "<task-id>bash_1</task-id>\n<status>exited</status>\n<exit-code>0</exit-code>"}
    text: It survived.
`))
	b.run(t, "resume", "--last", "-p", "once more", "--permissions", "all", "--scripted", b.script(t, "third.yaml", `prefix: c
steps:
  - {text: Nothing new.}
`))
	toldOnce(t, path)
}

// ended waits for the end of bash_1, by the store.
func ended(t *testing.T, path string) {
	t.Helper()
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
}

// toldOnce looks for the one notification of the session's one task.
func toldOnce(t *testing.T, path string) {
	t.Helper()
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

// built is the program in a folder of its own.
type built struct{ program, dir, work, state, goFile string }

func build(t *testing.T) *built {
	t.Helper()
	dir := t.TempDir()
	b := &built{program: filepath.Join(dir, "agentcore"), dir: dir, work: filepath.Join(dir, "work"), state: filepath.Join(dir, "state"),
		goFile: filepath.Join(dir, "go")}
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", b.program, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	if err := os.Mkdir(b.work, 0o700); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *built) script(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(b.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func (b *built) command(t *testing.T, args ...string) (*exec.Cmd, *bytes.Buffer) {
	cmd := exec.CommandContext(t.Context(), b.program, args...)
	out := &bytes.Buffer{}
	cmd.Dir, cmd.Stdout, cmd.Stderr = b.work, out, out
	cmd.Env = append(os.Environ(), "HOME="+b.dir, "GO_FILE="+b.goFile, "XDG_STATE_HOME="+b.state)
	return cmd, out
}

func (b *built) run(t *testing.T, args ...string) string {
	t.Helper()
	cmd, out := b.command(t, args...)
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return out.String()
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
