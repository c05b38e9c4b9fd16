package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// programs builds both programs into a folder.
func programs(t *testing.T) options {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", dir+string(filepath.Separator), "github.com/stophook/stophook/cmd/stophook",
		"github.com/stophook/stophook/cmd/agentcore").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return options{agentcore: filepath.Join(dir, "agentcore"), stophook: filepath.Join(dir, "stophook"), dir: filepath.Join(dir, "demo")}
}

// RT-50, RT-51, AC-182: the real hook, installed as for the client, holds our own
// agent once and lets it go when the ritual is done; what it reads in the transcript
// is what the agent did.
func TestDemoAgent_RT50_RT51_AC182(t *testing.T) {
	o := programs(t)
	var out bytes.Buffer
	if err := demo(t.Context(), o, &out); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	rest := out.String()
	for _, want := range []string{"fix the typo", "edit README.md", "BLOCK", "Status check:", "Session name:", "stophook status --end-turn", "┌─ stophook check ",
		"main: clean, pushed", "ALLOW", "6 tool calls, last shell, status box ", "stophook report "} {
		_, after, found := strings.Cut(rest, want)
		if !found {
			t.Fatalf("no %q in order in:\n%s", want, &out)
		}
		rest = after
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

// Without the programs the message says what to run.
func TestDemoAgent_noPrograms(t *testing.T) {
	_, err := newStage(options{agentcore: "nowhere/agentcore", stophook: "nowhere/stophook", dir: t.TempDir()}, &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "make demo-agent") {
		t.Errorf("error %v", err)
	}
}

// The demonstration cannot lie: a gate that never holds makes it fail.
func TestDemoAgent_aGateThatSleeps(t *testing.T) {
	o := programs(t)
	s, err := newStage(o, &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.install(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.settings(), []byte(`{}`), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := s.play(t.Context())
	if err == nil {
		err = s.close(t.Context(), p)
	}
	if err == nil {
		t.Error("no failure without a gate")
	}
}
