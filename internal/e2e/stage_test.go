package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// bareStage is a stage without hooks; nothing of it needs the client.
func bareStage(t *testing.T, setup Setup) *Stage {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("named pipes are needed")
	}
	setup.Install = func(*Stage) {}
	return NewStage(t, &Client{Path: "/nowhere/claude", Version: Version()}, t.TempDir(), setup)
}

func TestStage_isApart(t *testing.T) {
	t.Setenv("ANTHROPIC_AUTH_TOKEN", "of the person")
	t.Setenv("STOPHOOK_BYPASS", "1")
	s := bareStage(t, Setup{Env: []string{"MORE=1"}, Config: "remediation_cap: 3\n", Policies: map[string]string{"a/a.rego": "package a\n"}})
	env := strings.Join(s.environ(), "\n") + "\n"
	for _, want := range []string{"HOME=" + s.Home, "CLAUDE_CONFIG_DIR=" + s.Config, "ANTHROPIC_BASE_URL=http://127.0.0.1:", "DISABLE_AUTOUPDATER=1",
		"DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "IS_SANDBOX=1", "PATH=" + s.bin, "MORE=1\n"} {
		contains(t, "the environment", env, want)
	}
	for _, name := range []string{"ANTHROPIC_AUTH_TOKEN", "STOPHOOK_BYPASS", "XDG_"} {
		if strings.Contains(env, name) {
			t.Errorf("%s of the person reaches the client", name)
		}
	}
	for path, want := range map[string]string{
		filepath.Join(s.Config, ".claude.json"):                          `"hasTrustDialogAccepted": true`,
		filepath.Join(s.Config, "settings.json"):                         `"allow"`,
		filepath.Join(s.Project, ".stophook", "config.yaml"):             "remediation_cap: 3",
		filepath.Join(s.Project, ".stophook", "policies", "a", "a.rego"): "package a",
	} {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
		}
		contains(t, path, string(data), want)
	}
}

func TestGate(t *testing.T) {
	s := bareStage(t, Setup{})
	g := s.Gate("door")
	if g.grab() {
		t.Fatal("the gate says that a command runs, and none does")
	}
	cmd := exec.CommandContext(s.Ctx, "sh", "-c", g.Command)
	cmd.Dir = s.Project
	var out safeBuffer
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	g.AwaitRunning()
	if out.String() != "" {
		t.Errorf("the command ended before its gate was opened: %q", out.String())
	}
	g.Open()
	if err := cmd.Wait(); err != nil || out.String() != "door-done\n" {
		t.Errorf("%v, output %q", err, out.String())
	}
	g.Open() // no harm
}

func TestSweep(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux shows the environment of a process")
	}
	s := bareStage(t, Setup{})
	start := func(variable string) *exec.Cmd {
		cmd := exec.CommandContext(s.Ctx, "sh", "-c", s.Gate("gate-"+variable).Command)
		cmd.Dir, cmd.Env = s.Project, []string{"PATH=" + os.Getenv("PATH"), variable}
		ownGroup(cmd)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	ours, other := start("E2E_TEST=ours"), start("E2E_TEST=ours-too-but-longer")
	for _, g := range s.gates {
		g.AwaitRunning()
	}
	left := sweep("E2E_TEST=ours", time.Millisecond)
	if len(left) == 0 || !strings.Contains(strings.Join(left, "\n"), "cat gate-E2E_TEST=ours.gate") {
		t.Errorf("found %q, want the command by name", left)
	}
	if err := ours.Wait(); err == nil {
		t.Error("the process that was left was not killed")
	}
	if more := sweep("E2E_TEST=ours", time.Minute); len(more) != 0 {
		t.Errorf("still there: %q", more)
	}
	s.gates[1].Open()
	if err := other.Wait(); err != nil {
		t.Errorf("a process of another variable was ended: %v", err)
	}
}

func TestStage_sanitise(t *testing.T) {
	s := bareStage(t, Setup{})
	text := strings.Join([]string{s.Project, s.Home, s.API.URL, key, s.client.Path, s.id}, " ")
	if got, want := s.sanitise(text), "@PROJECT@ @HOME@ @API@ @KEY@ @CLIENT@ @RUN@"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	dir := t.TempDir()
	if err := s.keep(dir); err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile(filepath.Join(dir, t.Name(), "settings.json"))
	if err != nil || !strings.Contains(string(kept), "permissions") {
		t.Errorf("kept %q, %v", kept, err)
	}
}

func TestRecord(t *testing.T) {
	s := bareStage(t, Setup{})
	if s.Transcript("s1") != "" || len(s.Rows("s1")) != 0 || len(s.Decisions()) != 0 {
		t.Error("an empty stage shows records")
	}
	dir := filepath.Join(s.Config, "projects", "p")
	rows := `{"type":"user","a":{"b":true}}` + "\n" + `{"type":"user","a":{"b":false}}` + "\n" + `{"type":"user","a":{"b":tr`
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "s1.jsonl"), []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	count(t, "whole rows", len(s.Rows("s1")), 2)
	count(t, "rows with a value", len(s.RowsWhere("s1", "type", "user", "a.b", "true")), 1)
}

func TestPause(t *testing.T) {
	if !pause(t.Context(), time.Microsecond) || !pause(t.Context(), 0) {
		t.Error("a pause that ended by itself says that it did not")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if pause(ctx, time.Hour) || pause(ctx, 0) {
		t.Error("a pause that was ended says that it ended by itself")
	}
}
