package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/policy"
	"github.com/stophook/stophook/policy/install"
)

// The installer and the hook know the same profiles.
func TestProfiles_agree(t *testing.T) {
	var installed, judged []string
	for _, p := range install.Profiles() {
		installed = append(installed, string(p))
	}
	for _, p := range policy.Profiles() {
		judged = append(judged, string(p))
	}
	if !slices.Equal(installed, judged) {
		t.Errorf("installed are %v, judged %v", installed, judged)
	}
}

func TestMisplaced(t *testing.T) {
	dir := t.TempDir()
	checkout := filepath.Join(dir, "src")
	for _, name := range []string{"src/bin/stophook", "src/go.mod", "go-build12/b001/exe/stophook", "stophook"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	p := &program{}
	for path, want := range map[string]string{
		filepath.Join(dir, "go-build12/b001/exe/stophook"): "a build of `go run`",
		filepath.Join(dir, "stophook"):                     "folder for temporary files",
		"/usr/local/bin/stophook":                          "",
	} {
		if got := p.misplaced(path); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	t.Setenv("TMPDIR", filepath.Join(dir, "elsewhere"))
	if strings.HasPrefix(dir, "/tmp/") {
		t.Skip("folders of tests are temporary ones here, so a checkout cannot be shown")
	}
	if got := p.misplaced(filepath.Join(checkout, "bin", "stophook")); !strings.Contains(got, "checkout") {
		t.Errorf("a checkout: %q", got)
	}
}

// The path that is installed stays over upgrades: the one that PATH finds or that
// was typed, not where links lead.
func TestInstalledAs(t *testing.T) {
	dir := t.TempDir()
	exe, link := filepath.Join(dir, "1.2.3", "stophook"), filepath.Join(dir, "bin", "stophook")
	if err := errors.Join(os.MkdirAll(filepath.Dir(exe), 0o755), os.MkdirAll(filepath.Dir(link), 0o755), os.WriteFile(exe, nil, 0o755),
		os.Symlink(exe, link)); err != nil {
		t.Fatal(err)
	}
	missing := func(string) (string, error) { return "", os.ErrNotExist }
	for _, tc := range []struct {
		reason string
		look   func(string) (string, error)
		called string
		want   string
	}{
		{"by name", func(string) (string, error) { return link, nil }, "stophook", link},
		{"another one is on PATH", func(string) (string, error) { return os.Args[0], nil }, exe, exe},
		{"by path", missing, link, link},
		{"no way to tell", missing, "stophook", exe},
	} {
		p := &program{executable: func() (string, error) { return exe, nil }, lookPath: tc.look, args: []string{tc.called},
			getenv: func(string) string { return "" }}
		if got, err := p.installedAs(); got != tc.want || err != nil {
			t.Errorf("%s: %q, %v, want %q", tc.reason, got, err, tc.want)
		}
		if tc.reason == "by path" && p.callName() != link {
			t.Errorf("the agent is told %q, and %q is permitted", p.callName(), link)
		}
	}
}

// What init writes is the configuration of the README, as comments: uncommented, it
// is the default.
func TestProjectConfig(t *testing.T) {
	dir := t.TempDir()
	var lines []string
	for _, line := range strings.Split(projectConfig, "\n") {
		rest, ok := strings.CutPrefix(line, "# ")
		if key, _, found := strings.Cut(strings.TrimSpace(rest), ":"); ok && found && !strings.Contains(key, " ") && key != "severity" && key != "yaml-language-server" {
			lines = append(lines, rest)
		}
	}
	text := strings.Join(lines, "\n")
	for name, data := range map[string]string{"as-it-is.yaml": projectConfig, "all.yaml": text} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		config, warnings, err := policy.LoadConfig([]policy.Source{policy.ExplicitSource(path)})
		if err != nil || len(warnings) > 0 {
			t.Fatalf("%s: %v %v\n%s", name, err, warnings, data)
		}
		want := policy.DefaultConfig()
		if name == "all.yaml" {
			if len(config.Rules) != 2 || len(config.Log.Mask) != 1 {
				t.Errorf("the examples are not read: %+v", config)
			}
			config.Rules, config.Log.Mask = want.Rules, want.Log.Mask
		}
		if a, b := config.Effective(), want.Effective(); !cmp.Equal(a, b) {
			t.Errorf("%s: %v, want %v", name, a, b)
		}
	}
	for key := range policy.DefaultConfig().Effective() {
		if !strings.Contains(projectConfig, "# "+key+":") {
			t.Errorf("%s is not in the file that init writes", key)
		}
	}
}
