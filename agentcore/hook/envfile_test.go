package hook_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/policy/hookio"
)

func TestReadEnvFile(t *testing.T) {
	path := settingsFile(t, "env.sh", "\ufeff# left by hooks\n\nexport A=1\r\nB='two words'\nexport C=\"say \\\"hi\\\" \\\\ \\n\"\n"+
		"export D='it'\\''s'\nexport A=3\nexport  E=\nexport PATH=\"$HOME/bin:$PATH\"\nexport F=$(date)\nalias g=h\nexport 2X=1\nexport G=a b\nexport H='open\nexport I=a#b\n")
	env, skipped, err := hook.ReadEnvFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"A=1", "B=two words", "C=say \"hi\" \\ \\n", "D=it's", "A=3", "E="}, env); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	want := []string{"line 9: the value of PATH needs a shell to be read", "line 10: the value of F needs a shell to be read",
		"line 11 is no export NAME=value", "line 12 is no export NAME=value", "line 13: the value of G needs a shell to be read",
		"line 14: the value of H needs a shell to be read", "line 15: the value of I needs a shell to be read"}
	if diff := cmp.Diff(want, skipped); diff != "" {
		t.Errorf("skipped (-want +got):\n%s", diff)
	}
}

func TestReadEnvFile_missingAndOdd(t *testing.T) {
	env, skipped, err := hook.ReadEnvFile(filepath.Join(t.TempDir(), "none"))
	if len(env)+len(skipped) > 0 || err != nil {
		t.Errorf("%q, %q, %v", env, skipped, err)
	}
	if _, _, err := hook.ReadEnvFile(t.TempDir()); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("a folder: %v", err)
	}
}

// What our own SessionStart hook writes there, we read as it was meant.
func TestReadEnvFile_propertyReadsWhatHooksWrite(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		path := filepath.Join(dir, "env.sh")
		os.Remove(path)
		value := rapid.StringOf(rapid.RuneFrom([]rune(" \t'\"\\$`#;&|<>()*?[]~!abc\u00e9\u2028🚀"))).Draw(t, "value")
		if err := hookio.AppendEnvFile(path, hookio.EnvVar{Name: "X_1", Value: value}, hookio.EnvVar{Name: "Y", Value: "z"}); err != nil {
			t.Fatal(err)
		}
		env, skipped, err := hook.ReadEnvFile(path)
		if err != nil || len(skipped) > 0 || !slices.Equal(env, []string{"X_1=" + value, "Y=z"}) {
			t.Fatalf("%q, skipped %q, %v", env, skipped, err)
		}
	})
}

func FuzzReadEnvFile(f *testing.F) {
	for _, s := range []string{"", "export A=1", "A='", "A=\"\\", "\\", "export", "=", "A=\x00"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "e")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		env, _, err := hook.ReadEnvFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, pair := range env {
			if name, value, ok := strings.Cut(pair, "="); !ok || name == "" || strings.ContainsAny(name, " '\"$") || strings.ContainsAny(value, "\x00\n") {
				t.Fatalf("%q", pair)
			}
		}
	})
}
