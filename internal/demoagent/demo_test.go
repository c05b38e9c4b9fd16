package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/stophook/stophook/agentcore"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// program builds the gate into a folder.
func program(t *testing.T) options {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	o := options{stophook: filepath.Join(dir, "stophook"), dir: filepath.Join(dir, "demo")}
	if out, err := exec.Command("go", "build", "-o", o.stophook, "github.com/stophook/stophook/cmd/stophook").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return o
}

// RT-50, RT-51, AC-52, AC-182, AC-183: a message moves the agent's push to the
// background; the real hook, installed as for the client, lets that turn end; the end
// of the task wakes the agent; the hook sends it back once, and lets it go when it has
// shown its work. What the hook reads in the transcript is what the agent did.
func TestDemoAgent_RT50_RT51_AC52_AC182_AC183(t *testing.T) {
	o := program(t)
	var out bytes.Buffer
	if err := demo(t.Context(), o, &out); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	rest := out.String()
	for _, want := range []string{"fix the typo", "edit README.md", "git push", question, "moves the running command to the background (task bash_1)",
		"One word in the README", "DEFER  stop-hook.background_handoff_deferred", "until background task bash_1 reports",
		"without that rule: BLOCK stop-hook.status_check_missing", "task bash_1 exited (exit code 0)", "The push is through.",
		"BLOCK  stop-hook.status_check_missing", "Status check:", "stophook status --end-turn", "┌─ stophook check ", "main: clean, pushed", "ALLOW  stop-hook.pass",
		"in 2 runs", "turn  from a notification", "bash_1  shell  delivered_message  exited (0)", "bash_1  closed", "debt  0 calls", "stophook report "} {
		_, after, found := strings.Cut(rest, want)
		if !found {
			t.Fatalf("no %q in order in:\n%s", want, &out)
		}
		rest = after
	}
	if n := strings.Count(out.String(), "\nStop "); n != 3 {
		t.Errorf("%d stops, want 3:\n%s", n, &out)
	}
	if strings.Contains(out.String(), "\x1b") {
		t.Error("escape codes in what is no terminal")
	}
	paths, err := filepath.Glob(filepath.Join(o.dir, "state", "agentcore", "sessions", "*", "*.jsonl"))
	if err != nil || len(paths) != 1 {
		t.Fatalf("transcripts %v, %v", paths, err)
	}
	// Nothing of it is foreign to the reader.
	replayed := exec.CommandContext(t.Context(), o.stophook, "scan", "--json", paths[0])
	facts, err := replayed.Output()
	if err != nil || !bytes.Contains(facts, []byte(`"bad_lines": 0`)) || !bytes.Contains(facts, []byte(`"blind": []`)) {
		t.Errorf("scan: %v\n%s", err, facts)
	}
	// A second demonstration takes the place of the first.
	if err := demo(t.Context(), o, &bytes.Buffer{}); err != nil {
		t.Errorf("again: %v", err)
	}
}

// AC-52, AC-183: a push that lands before the agent has answered is told by a run of
// its own all the same, and the gate, which reads no notification yet, lets the first
// turn end.
func TestDemoAgent_AC52_AC183_thePushLandsDuringTheAnswer(t *testing.T) {
	var out bytes.Buffer
	s, err := newStage(program(t), &out)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.install(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.early = true
	p, err := play(t.Context(), s)
	if err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	if p.stats.Runs != 2 {
		t.Errorf("%d runs, want 2\n%s", p.stats.Runs, &out)
	}
}

// A folder that is somebody else's is never removed.
func TestDemoAgent_leavesOtherFoldersAlone(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "precious")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	s := &stage{dir: dir, out: &bytes.Buffer{}}
	if err := s.clear(); err == nil || !strings.Contains(err.Error(), "-dir") {
		t.Errorf("clear: %v, want a refusal that names -dir", err)
	}
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
}

// Without the program the message says what to run.
func TestDemoAgent_noProgram(t *testing.T) {
	_, err := newStage(options{stophook: "nowhere/stophook", dir: t.TempDir()}, &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "make demo-agent") {
		t.Errorf("error %v", err)
	}
}

// The demonstration cannot lie: what the gate or the host does not do makes it fail,
// and no push is left that waits.
func TestDemoAgent_AC183_whatDoesNotHappenFails(t *testing.T) {
	o := program(t)
	// settings changes the Stop hook that is installed.
	settings := func(t *testing.T, s *stage, from, to string) {
		t.Helper()
		text, err := os.ReadFile(s.settings())
		at := bytes.Index(text, []byte(`"Stop"`))
		if err != nil || at < 0 || !bytes.Contains(text[at:], []byte(from)) {
			t.Fatalf("no %q in the settings: %v\n%s", from, err, text)
		}
		changed := slices.Concat(text[:at], bytes.Replace(text[at:], []byte(from), []byte(to), 1))
		if err := os.WriteFile(s.settings(), changed, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		noHandoff bool
		change    func(t *testing.T, s *stage)
		want      string
	}{
		"a gate that sleeps": {want: "decided 0 times", change: func(t *testing.T, s *stage) {
			settings(t, s, `"Stop"`, `"Notification"`)
		}},
		"a gate that knows no handoff": {want: "stop 1: the story wants defer", change: func(t *testing.T, s *stage) {
			conf := filepath.Join(s.dir, "conf.yaml")
			if err := os.WriteFile(conf, []byte("rules: {background_handoff: {severity: off}}\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			settings(t, s, ` hook"`, ` hook --config ../conf.yaml"`)
		}},
		"a gate that only watches": {want: "stop 2", change: func(t *testing.T, s *stage) { settings(t, s, ` hook"`, ` hook --shadow"`) }},
		"the handoff is off":       {noHandoff: true, want: agentcore.ErrNoHandoff.Error(), change: func(*testing.T, *stage) {}},
	} {
		t.Run(name, func(t *testing.T) {
			o := o
			o.dir, o.noHandoff = filepath.Join(t.TempDir(), "demo"), c.noHandoff
			var out bytes.Buffer
			s, err := newStage(o, &out)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.install(t.Context()); err != nil {
				t.Fatal(err)
			}
			c.change(t, s)
			if _, err := play(t.Context(), s); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q\n%s", err, c.want, &out)
			}
		})
	}
}
