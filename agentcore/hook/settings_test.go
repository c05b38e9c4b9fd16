package hook_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/policy/hookio"
)

// settingsFile writes one settings file and gives its path.
func settingsFile(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLoadSettings_merges(t *testing.T) {
	user := settingsFile(t, "user.json", "\ufeff"+`{
  // comments and trailing commas do no harm
  "model": "x",
  "hooks": {
    "Stop": [{"hooks": [{"type": "command", "command": "u1", "timeout": 5}, {"type": "command", "command": "u2"}]}],
    "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "u3", "args": ["a", "b"]},]}],
  },
}`)
	project := settingsFile(t, "project.json", `{"hooks": {"Stop": [{"matcher": "", "hooks": [{"type": "command", "command": "p1", "timeout": 0.25}]}], "Notification": []}}`)
	empty := settingsFile(t, "local.json", " \n")
	s, err := hook.LoadSettings(user, project, project, empty, filepath.Join(t.TempDir(), "missing.json"), "")
	if err != nil {
		t.Fatal(err)
	}
	want := []hook.Hook{
		{Event: hookio.Stop, Command: "u1", Timeout: 5 * time.Second, File: user, Line: 5},
		{Event: hookio.Stop, Command: "u2", File: user, Line: 5},
		{Event: hookio.Stop, Command: "p1", Timeout: 250 * time.Millisecond, File: project, Line: 1},
		{Event: hookio.PreToolUse, Matcher: "Bash", Command: "u3", Args: []string{"a", "b"}, File: user, Line: 6},
	}
	if diff := cmp.Diff(want, s.Hooks()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(s.Warnings) > 0 || s.Disabled {
		t.Errorf("warnings %q, disabled %v", s.Warnings, s.Disabled)
	}
}

func TestLoadSettings_errors(t *testing.T) {
	const good = `"Stop":[{"hooks":[{"type":"command","command":"good"}]}]`
	tests := []struct{ name, text, want string }{
		{"no JSON", "{\"hooks\": {\n \"Stop\": [}\n", ":2: no JSON at column 11"},
		{"no object", "[]", ":1: the file's content is a list and should be an object"},
		{"hooks", "{\n\"hooks\": []}", ":2: hooks is a list and should be an object with a list for each event"},
		{"event", `{"hooks":{` + good + `,"PreToolUse":{}}}`, ":1: hooks.PreToolUse is an object and should be a list"},
		{"group", `{"hooks":{` + good + `,"PreToolUse":["x"]}}`, `hooks.PreToolUse[0] is a string and should be an object such as {"matcher"`},
		{"no hooks", `{"hooks":{` + good + `,"PreToolUse":[{"type":"command","command":"x"}]}}`, `hooks.PreToolUse[0] has no list of hooks; put {"type": "command"`},
		{"hooks is none", `{"hooks":{` + good + `,"PreToolUse":[{"hooks":{}}]}}`, "hooks.PreToolUse[0].hooks is an object and should be a list"},
		{"matcher", `{"hooks":{` + good + `,"PreToolUse":[{"matcher":1,"hooks":[]}]}}`, "hooks.PreToolUse[0].matcher is a number and should be a string"},
		{"hook", `{"hooks":{` + good + `,"PreToolUse":[{"hooks":["x"]}]}}`, "hooks.PreToolUse[0].hooks[0] is a string and should be an object"},
		{"type", `{"hooks":{` + good + `,"PreToolUse":[{"hooks":[{"command":"x"}]}]}}`, `has no type; write "type": "command"`},
		{"command", `{"hooks":{` + good + `,"PreToolUse":[{"hooks":[{"type":"command","command":" "}]}]}}`, "has no command; write"},
		{"timeout", `{"hooks":{` + good + `,"PreToolUse":[{"hooks":[{"type":"command","command":"x","timeout":-1}]}]}}`, "timeout is a number and should be a number of seconds above 0"},
		{"args", `{"hooks":{` + good + `,"PreToolUse":[{"hooks":[{"type":"command","command":"x","args":[1]}]}]}}`, "args[0] is a number and should be a string"},
		{"args none", `{"hooks":{` + good + `,"PreToolUse":[{"hooks":[{"type":"command","command":"x","args":"y"}]}]}}`, "args is a string and should be a list of strings"},
		{"switch", `{"disableAllHooks":"yes","hooks":{` + good + `}}`, "disableAllHooks is a string and should be true or false"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := settingsFile(t, "settings.json", tt.text)
			other := settingsFile(t, "other.json", `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"other"}]}]}}`)
			s, err := hook.LoadSettings(path, other)
			var fault *hook.SettingsError
			if !errors.As(err, &fault) || fault.File != path || fault.Line < 1 || fault.Advice == "" {
				t.Fatalf("%v: want file, line and advice", err)
			}
			if !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), path+":") {
				t.Errorf("%v\nwant %s", err, tt.want)
			}
			want := strings.Count(tt.text, "good") + 1
			if got := s.Hooks(); len(got) != want || got[len(got)-1].Command != "other" {
				t.Errorf("%+v: want the %d hooks that stand elsewhere", got, want)
			}
		})
	}
}

func TestLoadSettings_unreadable(t *testing.T) {
	dir := t.TempDir()
	_, err := hook.LoadSettings(dir)
	var fault *hook.SettingsError
	if !errors.As(err, &fault) || fault.Line != 0 || !strings.Contains(err.Error(), "it is no regular file; make it a readable file, or move it away") {
		t.Errorf("%v", err)
	}
}

func TestLoadSettings_warnings(t *testing.T) {
	path := settingsFile(t, "settings.json", `{"hooks": {
 "stop": [],
 "PreModelSwitch": [],
 "PreToolUse": [
  {"matcher": "a(", "hooks": []},
  {"matcher": "^(?!Read)", "hooks": []},
  {"hooks": [{"type": "prompt", "prompt": "x"}]},
  {"hooks": [{"type": "command", "command": "x", "async": true}]},
  {"hooks": [{"type": "command", "command": "y", "if": "Bash(git *)", "once": true, "async": false}]}]}}`)
	s, err := hook.LoadSettings(path)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`:2: this host has no event "stop": its hooks never run; did you mean Stop?`,
		`:3: this host has no event "PreModelSwitch": its hooks never run`,
		":5: the matcher \"a(\" is no pattern (error parsing regexp: missing closing ): `a(`): its hooks never run",
		`:6: the matcher "^(?!Read)" looks around (?=, ?!, ?<), which is not supported here: its hooks run for every call`,
		`:7: hooks of type "prompt" are not supported here, only command: it never runs`,
		`:8: async hooks are not supported here: it never runs; without async the agent waits for it`,
		`:9: the condition "if" is not supported here: the hook runs for every call that its matcher fits`,
		`:9: "once" is not supported here: the hook runs every time`,
	}
	for i := range want {
		want[i] = path + want[i]
	}
	if diff := cmp.Diff(want, s.Warnings); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := s.Hooks(); len(got) != 1 || got[0].Command != "y" {
		t.Errorf("%+v", got)
	}
}

func TestLoadSettings_disableAllHooks(t *testing.T) {
	with := settingsFile(t, "a.json", `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}`)
	off := settingsFile(t, "b.json", `{"disableAllHooks": true}`)
	for _, order := range [][]string{{with, off}, {off, with}} {
		s, err := hook.LoadSettings(order...)
		if err != nil || !s.Disabled || len(s.Hooks()) > 0 || hook.NewCommands(s, hook.Options{}).Has(hookio.Stop) {
			t.Errorf("%+v, %v", s, err)
		}
		if len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], "disableAllHooks is set") {
			t.Errorf("%q: a gate that is off is said", s.Warnings)
		}
	}
}

// No settings file makes it panic, and what is accepted has a command.
func FuzzLoadSettings(f *testing.F) {
	for _, text := range []string{"", "{}", `{"hooks":null}`, `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x","timeout":1e400}]}]}}`,
		`{"hooks":{"Stop":[null,{"hooks":[null]}],"Stop":[]}}`, `{"disableAllHooks":true`, "\xff"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "s.json")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := hook.LoadSettings(path)
		var fault *hook.SettingsError
		if err != nil && !errors.As(err, &fault) {
			t.Fatalf("%v is no SettingsError", err)
		}
		for _, h := range s.Hooks() {
			if strings.TrimSpace(h.Command) == "" || h.Line < 1 || h.Timeout < 0 {
				t.Fatalf("%+v", h)
			}
		}
	})
}
