package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// FX-6: the incident of the ADR, played with the real binary and a real
// repository: one deferred stop, one held, one passed, where a naive hook bounced
// the agent five times.
func TestDemo_FX6_TheThreeVerdicts(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	binary := filepath.Join(dir, "bin", "stophook")
	if out, err := exec.Command("go", "build", "-o", binary, "github.com/stophook/stophook/cmd/stophook").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	var out bytes.Buffer
	s, err := newStage(binary, dir, &out)
	if err != nil {
		t.Fatal(err)
	}
	if err := play(s); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	rest := out.String()
	for _, want := range []string{
		"DEFER  stop-hook.background_handoff_deferred",
		"BLOCK  stop-hook.status_check_missing",
		"ALLOW  stop-hook.pass",
	} {
		_, after, found := strings.Cut(rest, want)
		if !found {
			t.Fatalf("no %q in order in:\n%s", want, &out)
		}
		rest = after
	}
	if strings.Contains(out.String(), "\x1b") {
		t.Error("escape codes in what is no terminal")
	}
	if n := strings.Count(out.String(), " Stop "); n != 3 {
		t.Errorf("%d stops, want 3:\n%s", n, &out)
	}
}

// The demo cannot lie: when the binary decides otherwise, it fails.
func TestDemo_AnotherVerdictIsAnError(t *testing.T) {
	binary, err := exec.LookPath("true")
	if err != nil {
		t.Skip("there is no program `true`")
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	var out bytes.Buffer
	s, err := newStage(binary, dir, &out)
	if err != nil {
		t.Fatal(err)
	}
	if err := play(s); err == nil {
		t.Errorf("a program that never answers plays the story:\n%s", &out)
	}
	if err := run(filepath.Join(dir, "none"), false); err == nil || !strings.Contains(err.Error(), "make demo") {
		t.Errorf("a missing binary must say how to get one: %v", err)
	}
}
