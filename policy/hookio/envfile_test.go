package hookio_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stophook/stophook/policy/hookio"
	"pgregory.net/rapid"
)

func TestAppendEnvFile(t *testing.T) {
	id := hookio.EnvVar{Name: "STOPHOOK_SESSION_ID", Value: "s1"}
	tests := []struct {
		name, old string
		vars      []hookio.EnvVar
		want      string
		reason    string
	}{
		{"fresh", "", []hookio.EnvVar{id, {"B", ""}}, "export STOPHOOK_SESSION_ID='s1'\nexport B=''\n", "both lines"},
		{"again", "export STOPHOOK_SESSION_ID='s1'\n", []hookio.EnvVar{id}, "export STOPHOOK_SESSION_ID='s1'\n", "the hook runs on every resume"},
		{"again, CRLF", "export STOPHOOK_SESSION_ID='s1'\r\n", []hookio.EnvVar{id}, "export STOPHOOK_SESSION_ID='s1'\r\n", "somebody's editor"},
		{"changed", "export STOPHOOK_SESSION_ID='s0'\n", []hookio.EnvVar{id}, "export STOPHOOK_SESSION_ID='s0'\nexport STOPHOOK_SESSION_ID='s1'\n", "/clear gives a new id"},
		{"back again", "export A='1'\nexport A='2'\n", []hookio.EnvVar{{"A", "1"}}, "export A='1'\nexport A='2'\nexport A='1'\n", "an earlier equal line is not in force"},
		{"open line", "export X=1", []hookio.EnvVar{{"A", "1"}}, "export X=1\nexport A='1'\n", "another hook forgot its newline"},
		{"open line, nothing to add", "export A='1'", []hookio.EnvVar{{"A", "1"}}, "export A='1'", "no write at all"},
		{"longer name", "export AB='1'\n", []hookio.EnvVar{{"A", "1"}}, "export AB='1'\nexport A='1'\n", "names are whole"},
		{"twice in one call", "", []hookio.EnvVar{{"A", "1"}, {"A", "1"}, {"A", "2"}}, "export A='1'\nexport A='2'\n", "the last wins, as in a shell"},
		{"quotes", "", []hookio.EnvVar{{"A", `it's $HOME "x" \`}}, `export A='it'\''s $HOME "x" \'` + "\n", "nothing expands"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "env")
			if tt.old != "" {
				if err := os.WriteFile(path, []byte(tt.old), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := hookio.AppendEnvFile(path, tt.vars...); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
}

func TestAppendEnvFile_Errors(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "env")
	tests := []struct {
		name   string
		path   string
		v      hookio.EnvVar
		want   error
		reason string
	}{
		{"no file", "", hookio.EnvVar{Name: "A"}, hookio.ErrNoEnvFile, "not a SessionStart hook"},
		{"no name", path, hookio.EnvVar{}, hookio.ErrEnvVar, "no shell name"},
		{"digit first", path, hookio.EnvVar{Name: "1A"}, hookio.ErrEnvVar, "no shell name"},
		{"command", path, hookio.EnvVar{Name: "A;rm -rf x;B"}, hookio.ErrEnvVar, "a name is code"},
		{"newline", path, hookio.EnvVar{Name: "A", Value: "x\ny"}, hookio.ErrEnvVar, "a line is the unit of this file"},
		{"NUL", path, hookio.EnvVar{Name: "A", Value: "x\x00"}, hookio.ErrEnvVar, "no environment can hold it"},
		{"no directory", filepath.Join(dir, "none", "env"), hookio.EnvVar{Name: "A"}, fs.ErrNotExist, "the host makes it, not we"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := hookio.AppendEnvFile(tt.path, hookio.EnvVar{Name: "GOOD"}, tt.v)
			if !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v: %s", err, tt.want, tt.reason)
			}
			if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
				t.Error("something was written beside an error")
			}
		})
	}
	if err := hookio.AppendEnvFile(dir, hookio.EnvVar{Name: "A"}); err == nil {
		t.Error("a directory was accepted")
	}
}

func TestAppendEnvFile_ConcurrentAppendsStayWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "env")
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			name := "V" + string(rune('A'+i))
			if err := hookio.AppendEnvFile(path, hookio.EnvVar{Name: name, Value: strings.Repeat("v", 200)}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(got), "\n"), "\n")
	if len(lines) != 16 {
		t.Errorf("%d lines, want 16", len(lines))
	}
	for _, line := range lines {
		if !strings.HasPrefix(line, "export V") || len(line) != len("export VA=''")+200 {
			t.Errorf("torn line %q", line)
		}
	}
}

// A real shell reads back what was written, whatever the value.
func TestAppendEnvFile_PropertyShellReadsItBack(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("no POSIX shell on this system")
	}
	path := filepath.Join(t.TempDir(), "env")
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.StringOf(rapid.SampledFrom([]rune("ab '\"\\$`!#;&|()<>*?~\té🚀"))).Draw(t, "value")
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := hookio.AppendEnvFile(path, hookio.EnvVar{Name: "GOT", Value: value}); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(sh, "-c", `. "$0"; printf '%s' "$GOT"`, path).Output()
		if err != nil || string(out) != value {
			t.Fatalf("the shell reads %q (%v), want %q", out, err, value)
		}
	})
}
