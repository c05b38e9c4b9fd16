package install_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/policy/hookio"
	"github.com/stophook/stophook/policy/install"
)

const program = "/usr/local/bin/stophook"

// place is a home and a project in a temporary folder.
func place(t testing.TB) install.Env {
	t.Helper()
	dir := t.TempDir()
	env := install.Env{Home: filepath.Join(dir, "home"), Project: filepath.Join(dir, "project"), GOOS: "linux",
		Getenv: func(string) string { return "" }}
	for _, d := range []string{env.Home, env.Project} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return env
}

func claude(env install.Env) install.Options {
	return install.Options{Env: env, Command: program}
}

func settingsPath(env install.Env) string { return filepath.Join(env.Home, ".claude", "settings.json") }

// put writes a file, and its folder.
func put(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
}

// get reads a file; one that is missing is "<none>".
func get(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return "<none>"
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func apply(t testing.TB, c *install.Change, err error) *install.Change {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Apply(); err != nil {
		t.Fatal(err)
	}
	return c
}

// plan and remove are what a person does.
func plan(t testing.TB, opts install.Options) *install.Change {
	t.Helper()
	c, err := install.Plan(opts)
	return apply(t, c, err)
}

func remove(t testing.TB, opts install.Options) *install.Change {
	t.Helper()
	c, err := install.PlanRemove(opts)
	return apply(t, c, err)
}

// beside lists the names in a file's folder.
func beside(t testing.TB, path string) string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func same(t testing.TB, reason, want, got string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", reason, diff)
	}
}

// golden compares with a file of testdata; UPDATE_GOLDEN=1 writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		put(t, path, got)
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	same(t, path, string(want), got)
}

// Every host and scope: what a fresh file and one with other people's settings
// become, and that removing gives both back.
func TestPlan_goldens(t *testing.T) {
	for _, name := range install.Hosts() {
		for _, scope := range install.Scopes(name) {
			for _, start := range []string{"fresh", "used"} {
				t.Run(string(name)+"-"+string(scope)+"-"+start, func(t *testing.T) {
					env := place(t)
					opts := install.Options{Host: name, Scope: scope, Command: program, Env: env}
					c, err := install.Plan(opts)
					if err != nil {
						t.Fatal(err)
					}
					before := "<none>"
					if start == "used" {
						before = used(name)
						put(t, c.Path, before)
					}
					plan(t, opts)
					after := get(t, c.Path)
					golden(t, string(name)+"-"+start+".json", after)
					if again := plan(t, opts); again.Changes() {
						t.Errorf("a second installation changes %q", again.Summary)
					}
					remove(t, opts)
					same(t, "not restored", before, get(t, c.Path))
					if names := beside(t, c.Path); strings.Contains(names, "stophook-") {
						t.Errorf("left behind: %s", names)
					}
				})
			}
		}
	}
}

// used are settings of somebody who has hooks and permissions already.
func used(name hookio.Host) string {
	switch name {
	case hookio.HostCursor:
		return "{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [\n      { \"command\": \"./mine.sh\" }\n    ]\n  }\n}\n"
	case hookio.HostCopilot:
		return "{\n    \"version\": 1,\n    \"hooks\": {\n        \"preToolUse\": [{\"type\": \"command\", \"bash\": \"./mine.sh\"}]\n    }\n}"
	case hookio.HostGemini:
		return "// Gemini takes comments\n{\n\t\"tools\": {\"allowed\": [\"run_shell_command(git)\"]},\n\t\"ui\": {\"theme\": \"GitHub\"} // dark\n}\n"
	}
	return `{
    "model": "opus",
    "permissions": {"allow": ["Bash(git status:*)", "WebFetch"], "deny": []},
    "hooks": {
        "Stop": [
            {
                "hooks": [{"type": "command", "command": "./mine.sh"}]
            }
        ],
        "PreToolUse": []
    }
}
`
}

// write puts a file in place of all that lay beside it.
func write(t interface{ Fatal(...any) }, path, text string) {
	if err := errors.Join(os.RemoveAll(filepath.Dir(path)), os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}
