package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestCallName(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "plug", "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"stophook", "other", "it's here", "plug/bin/stophook"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, tt := range []struct {
		reason, exe, found, want string
		failing                  bool
		plugin                   string
	}{
		{reason: "PATH finds this very file", exe: at("stophook"), found: at("stophook"), want: "stophook"},
		{reason: "PATH finds another program of the name", exe: at("other"), found: at("stophook"), want: at("other")},
		{reason: "PATH finds none", exe: at("stophook"), want: at("stophook")},
		{reason: "a path that a shell would take apart is quoted", exe: at("it's here"), want: `'` + dir + `/it'\''s here'`},
		{reason: "the system does not tell the path", failing: true, want: "stophook"},
		{reason: "a plugin's bin folder is on the agent's PATH only", exe: at("plug/bin/stophook"), plugin: at("plug"), want: "stophook"},
		{reason: "another stophook comes first on PATH", exe: at("plug/bin/stophook"), plugin: at("plug"), found: at("stophook"), want: at("plug/bin/stophook")},
		{reason: "a plugin that calls a program elsewhere", exe: at("other"), plugin: at("plug"), want: at("other")},
	} {
		p, _, _ := testProgram(dir, nil, nil)
		p.getenv = func(name string) string {
			if name == pluginRoot {
				return tt.plugin
			}
			return ""
		}
		p.executable = func() (string, error) {
			if tt.failing {
				return "", errors.New("no /proc")
			}
			return tt.exe, nil
		}
		p.lookPath = func(string) (string, error) {
			if tt.found == "" {
				return "", os.ErrNotExist
			}
			return tt.found, nil
		}
		if got := p.callName(); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.reason, got, tt.want)
		}
	}
}

func TestShellPath(t *testing.T) {
	for _, tt := range []struct{ reason, exe, goos, want string }{
		{"forward slashes need no quotes in Bash nor in PowerShell", `C:\bin\stophook.exe`, "windows", "C:/bin/stophook.exe"},
		{"a share", `\\srv\tools\stophook.exe`, "windows", "//srv/tools/stophook.exe"},
		{"a space needs quotes", `C:\Program Files\stophook.exe`, "windows", "'C:/Program Files/stophook.exe'"},
		{"a backslash elsewhere is a letter of the name", `/a\b`, "linux", `'/a\b'`},
		{"a colon needs quotes in a shell that splits at it", "/a:b", "linux", "'/a:b'"},
	} {
		if got := shellPath(tt.exe, tt.goos); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.reason, got, tt.want)
		}
	}
}

// Colours are for terminals, and for nobody who asked not to see them.
func TestTruthy(t *testing.T) {
	for v, want := range map[string]bool{"": false, "0": false, "false": false, "False": false, "1": true, "yes": true} {
		if truthy(v) != want {
			t.Errorf("%q: %t, want %t", v, !want, want)
		}
	}
}

// CL-2: whatever panics while an event is judged, the host gets an allow and a
// message, not exit 2, which it would take for a block.
func TestHook_CL2_PanicIsNoBlock(t *testing.T) {
	dir := t.TempDir()
	p, stdout, stderr := testProgram(dir, []byte(`{"hook_event_name":"Stop","session_id":"s1"}`), nil)
	calls := 0
	p.lookPath = func(string) (string, error) {
		calls++
		panic("lookPath")
	}
	if code := p.run([]string{"stophook", "hook", "--state-dir", dir}); code != 0 || calls == 0 {
		t.Errorf("exit %d after %d calls", code, calls)
	}
	if legal(stdout.String()) != nil || blocks(stdout.String()) || !strings.Contains(stdout.String(), "internal error") {
		t.Errorf("stdout %q", stdout)
	}
	if !strings.Contains(stderr.String(), "please report it") {
		t.Errorf("stderr %q", stderr)
	}
}

// A command of the workshop is handed over with its arguments and its exit code,
// and help for one as well.
func TestWorkshop_IsHandedOver(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		reason string
		args   []string
		handed bool
	}{
		{"a command", []string{"test", "--cover", "rego"}, true},
		{"its help", []string{"help", "replay"}, true},
		{"a command of the hook", []string{"version"}, false},
		{"help for one", []string{"help", "hook"}, false},
	} {
		p, _, _ := testProgram(dir, nil, nil)
		var got []string
		p.executable = func() (string, error) { return filepath.Join(dir, "stophook"), nil }
		p.replace = func(path string, args []string) (int, error) {
			if path != filepath.Join(dir, workshopProgram) {
				t.Errorf("%s: %s", tt.reason, path)
			}
			got = args
			return 7, nil
		}
		if err := os.WriteFile(filepath.Join(dir, workshopProgram), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		code := p.run(append([]string{"stophook"}, tt.args...))
		if tt.handed != slices.Equal(got, tt.args) || tt.handed != (code == 7) {
			t.Errorf("%s: exit %d, handed over %q", tt.reason, code, got)
		}
	}
}

func TestWorkshop_MissingIsTold(t *testing.T) {
	p, _, stderr := testProgram(t.TempDir(), nil, nil)
	p.executable = func() (string, error) { return filepath.Join(t.TempDir(), "stophook"), nil }
	p.lookPath = func(string) (string, error) { return "", exec.ErrNotFound }
	code := p.run([]string{"stophook", "test"})
	if code != 1 || !strings.Contains(stderr.String(), "make build") || !strings.Contains(stderr.String(), workshopProgram) {
		t.Errorf("exit %d: %s", code, stderr)
	}
}
