package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

func TestCallName(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"stophook", "other", "it's here"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, tt := range []struct {
		reason, exe, found, want string
		failing                  bool
	}{
		{reason: "PATH finds this very file", exe: at("stophook"), found: at("stophook"), want: "stophook"},
		{reason: "PATH finds another program of the name", exe: at("other"), found: at("stophook"), want: at("other")},
		{reason: "PATH finds none", exe: at("stophook"), want: at("stophook")},
		{reason: "a path that a shell would take apart is quoted", exe: at("it's here"), want: `'` + dir + `/it'\''s here'`},
		{reason: "the system does not tell the path", failing: true, want: "stophook"},
	} {
		p, _, _ := testProgram(dir, nil, nil)
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

// Colours are for terminals, and for nobody who asked not to see them.
func TestStyle_NoColor(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	terminal, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0) // a character device, as a terminal is
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	for _, tt := range []struct {
		reason string
		out    any
		env    map[string]string
		want   bool
	}{
		{"a terminal", terminal, nil, true},
		{"NO_COLOR is set", terminal, map[string]string{"NO_COLOR": "1"}, false},
		{"the terminal knows no colours", terminal, map[string]string{"TERM": "dumb"}, false},
		{"a file", file, nil, false},
		{"a pipe of the host", &bytes.Buffer{}, nil, false},
	} {
		p, _, _ := testProgram(t.TempDir(), nil, tt.env)
		switch out := tt.out.(type) {
		case *os.File:
			p.stdout = out
		case *bytes.Buffer:
			p.stdout = out
		}
		if got := strings.Contains(p.style().verdict("block"), "\x1b"); got != tt.want {
			t.Errorf("%s: colours %t, want %t", tt.reason, got, tt.want)
		}
	}
}

func TestOneLine_HoldsNothingThatSteers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, n := rapid.String().Draw(t, "text"), rapid.IntRange(1, 80).Draw(t, "columns")
		got := oneLine(s, n)
		if len([]rune(got)) > n {
			t.Errorf("%q has more than %d characters", got, n)
		}
		for _, r := range got {
			if unicode.IsControl(r) {
				t.Errorf("%q holds %U", got, r)
			}
		}
	})
	if got := oneLine("a\u202eb\x1b[31m\nc", 20); got != "a b [31m c" {
		t.Errorf("%q", got)
	}
	if got := visible("two\nlines\u200f"); got != "two\nlines " {
		t.Errorf("%q", got)
	}
}

func TestTruthy(t *testing.T) {
	for v, want := range map[string]bool{"": false, "0": false, "false": false, "False": false, "1": true, "yes": true} {
		if truthy(v) != want {
			t.Errorf("%q: %t, want %t", v, !want, want)
		}
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1 KiB", 1536 << 10: "1.5 MiB", 40 << 20: "40 MiB"} {
		if got := size(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
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
