package install_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stophook/stophook/policy/hookio"
	"github.com/stophook/stophook/policy/install"
)

// What was there before comes back, byte for byte.
func TestPlanRemove_restores(t *testing.T) {
	for reason, before := range map[string]string{
		"nothing at all":                    "<none>",
		"an empty file":                     "",
		"white space":                       " \r\n",
		"a byte order mark alone":           "\xef\xbb\xbf",
		"an empty object":                   "{}",
		"an empty object with space":        "{ }\n",
		"an empty object on two lines":      "{\n}\n",
		"an object with a comment":          "{ // mine\n}\n",
		"no hooks":                          "{\n  \"model\": \"opus\"\n}\n",
		"no last line end":                  "{\n  \"model\": \"opus\"\n}",
		"empty hooks":                       "{\n  \"hooks\": {}\n}\n",
		"empty hooks on lines":              "{\n  \"hooks\": {\n\n  },\n  \"model\": \"opus\"\n}\n",
		"an empty list of the event":        "{\"hooks\": {\"Stop\": [ ]}}",
		"an event's list, and others":       "{\"hooks\":{\"Stop\":[],\"Other\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"x\"}]}]}}",
		"minified":                          `{"model":"opus","permissions":{"allow":["A"]}}`,
		"trailing commas":                   "{\n  \"permissions\": {\n    \"allow\": [\n      \"A\",\n    ],\n  },\n}\n",
		"comments everywhere":               "/* a */ { // b\n  // c\n  \"hooks\": { /* d */ }, // e\n  \"permissions\": { \"allow\": [ /* f */ ] } // g\n  // h\n} // i\n",
		"CRLF and tabs":                     "{\r\n\t\"model\": \"opus\",\r\n\t\"hooks\": {\r\n\t}\r\n}\r\n",
		"a byte order mark":                 "\xef\xbb\xbf{\r\n  \"a\": 1\r\n}",
		"other people's hooks":              used(hookio.HostClaudeCode),
		"a rule of ours that they wrote":    "{\"permissions\": {\"allow\": [\"Bash(" + program + " status:*)\"]}}",
		"two members of one name":           "{\"hooks\": {}, \"hooks\": {\"Stop\": []}}",
		"a name that only looks like ours":  "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"/opt/stophook-notify hook\"}]}]}}",
		"an event list of another form too": "{\"hooks\":{\"Stop\":[{\"command\":\"x\"}, 3, null]}}",
	} {
		for _, profile := range install.Profiles() {
			env := place(t)
			path := settingsPath(env)
			if before != "<none>" {
				put(t, path, before)
			}
			opts := claude(env)
			opts.Profile = profile
			if c := plan(t, opts); len(c.Events) != 4 {
				t.Errorf("%s: events %q", reason, c.Events)
			}
			if c := plan(t, opts); c.Changes() || len(c.Summary) > 0 {
				t.Errorf("%s: a second installation: %q", reason, c.Summary)
			}
			other := opts
			other.Profile, other.Command, other.Exec = install.ProfileObserve, "/opt/new place/stophook", true
			plan(t, other) // and back: what an earlier installation left is ours as well
			plan(t, opts)
			remove(t, opts)
			same(t, reason+", profile "+string(profile), before, get(t, path))
			if names := beside(t, path); strings.Contains(names, "stophook") {
				t.Errorf("%s: left behind %s", reason, names)
			}
			if c := remove(t, opts); c.Changes() {
				t.Errorf("%s: a second removal: %q", reason, c.Summary)
			}
		}
	}
}

// What somebody else wrote after the installation stays when ours goes.
func TestPlanRemove_keepsLaterEdits(t *testing.T) {
	env := place(t)
	path := settingsPath(env)
	put(t, path, "{\n  \"model\": \"opus\"\n}\n")
	plan(t, claude(env))
	text := get(t, path)
	text = strings.Replace(text, `"opus"`, `"sonnet"`, 1)
	text = strings.Replace(text, "    \"Stop\": [\n", "    // my own\n    \"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"./mine.sh\"}]},\n", 1)
	put(t, path, text)
	c := remove(t, claude(env))
	same(t, "later edits", "{\n  \"model\": \"sonnet\",\n  \"hooks\": {\n    // my own\n    \"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"./mine.sh\"}]}\n    ]\n  }\n}\n", get(t, path))
	if c.Backup == "" || get(t, c.Backup) != text {
		t.Errorf("the file before the removal is not at %q", c.Backup)
	}
}

// Without a backup, what is empty goes, and what others wrote stays.
func TestPlanRemove_withoutBackup(t *testing.T) {
	env := place(t)
	path := settingsPath(env)
	put(t, path, "{\n  \"model\": \"opus\"\n}\n")
	c := plan(t, claude(env))
	if err := os.Remove(c.Backup); err != nil {
		t.Fatal(err)
	}
	remove(t, claude(env))
	same(t, "without a backup", "{\n  \"model\": \"opus\"\n}\n", get(t, path))
}

func TestPlan_updatesInPlace(t *testing.T) {
	env := place(t)
	path := settingsPath(env)
	put(t, path, `{
  "hooks": {
    "Stop": [
      {"hooks": [
        {"type": "command", "command": "./first.sh"},
        {"type": "command", "command": "\"/home/me/old dir/stophook\" hook --shadow --profile background", "timeout": 20}, // mine
        {"type": "command", "command": "/usr/bin/stophook hook"}
      ]}
    ]
  },
  "permissions": {"allow": ["Bash('/home/me/old dir/stophook' task:*)", "Bash(stophook:*)"]}
}
`)
	opts := claude(env)
	opts.Profile = install.ProfileEvidence
	c := plan(t, opts)
	text := get(t, path)
	for _, want := range []string{
		`{"type": "command", "command": "/usr/local/bin/stophook hook --profile evidence --shadow", "timeout": 20} // mine`,
		`"./first.sh"`, `"allow": ["Bash(stophook:*)", "Bash(/usr/local/bin/stophook status:*)"]`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if n := strings.Count(text, "stophook hook"); n != 4 {
		t.Errorf("%d calls, want 4: one an event", n)
	}
	if c.Backup != path+".stophook-previous" {
		t.Errorf("backup %q: the file had entries of ours, so it is not what was before", c.Backup)
	}
}

func TestPlan_exec(t *testing.T) {
	env := place(t)
	opts := claude(env)
	opts.Exec = true
	plan(t, opts)
	text := get(t, settingsPath(env))
	if !strings.Contains(text, "\"command\": \"/usr/local/bin/stophook\",\n            \"args\": [\n              \"hook\"\n            ]") {
		t.Errorf("no exec form:\n%s", text)
	}
	entries, err := install.Found(env)
	if err != nil || len(entries) != 4 || !slices.Equal(entries[3].Args, []string{"hook"}) || entries[3].Program != program {
		t.Errorf("found %+v, %v", entries, err)
	}
	opts.Exec = false
	plan(t, opts)
	if text := get(t, settingsPath(env)); strings.Contains(text, "args") {
		t.Errorf("args stayed:\n%s", text)
	}
	opts.Host, opts.Exec = hookio.HostCodex, true
	if _, err := install.Plan(opts); err == nil {
		t.Error("Codex has no exec form")
	}
}

// A file that cannot be used is refused by name and line, and not touched.
func TestPlan_refuses(t *testing.T) {
	for _, tc := range []struct{ reason, text, say string }{
		{"broken", "{\n  \"a\": 1\n  \"b\": 2\n}", ":3: no JSON at column 3"},
		{"no object", "[]", ":1: a list stands where the settings should be an object"},
		{"hooks of another type", "{\n  \"hooks\": []\n}", ":2: hooks is a list and should be an object"},
		{"hooks that are null", "{\"hooks\": null}", ":1: hooks is null and"},
		{"an event of another type", "{\"hooks\": {\n\"Stop\": {}}}", ":2: hooks.Stop is an object and should be a list"},
		{"rules of another type", "{\"permissions\": {\"allow\": \"Bash\"}}", ":1: permissions.allow is a string"},
		{"UTF-16", "\xff\xfe{\x00}\x00", "save it as UTF-8"},
	} {
		env := place(t)
		path := settingsPath(env)
		put(t, path, tc.text)
		_, err := install.Plan(claude(env))
		if !errors.Is(err, install.ErrUnreadable) || !strings.HasPrefix(err.Error(), path) || !strings.Contains(err.Error(), tc.say) ||
			!strings.Contains(err.Error(), "nothing was changed") {
			t.Errorf("%s: %v", tc.reason, err)
		}
		same(t, tc.reason, tc.text, get(t, path))
		if names := beside(t, path); names != "settings.json" {
			t.Errorf("%s: left behind %s", tc.reason, names)
		}
	}
}

func TestPlan_options(t *testing.T) {
	env := place(t)
	for _, tc := range []struct {
		reason, say string
		change      func(*install.Options)
	}{
		{"an unknown host", `no host "vim"`, func(o *install.Options) { o.Host = "vim" }},
		{"a host that has no hooks", `no host "windsurf"`, func(o *install.Options) { o.Host = hookio.HostWindsurf }},
		{"an unknown scope", `no settings of scope "team"; use one of user, project, local`, func(o *install.Options) { o.Scope = "team" }},
		{"a scope that the host has not", "use one of user, project", func(o *install.Options) { o.Host, o.Scope = hookio.HostCodex, install.ScopeLocal }},
		{"managed is not ours", "no settings of scope", func(o *install.Options) { o.Scope = install.ScopeManaged }},
		{"an unknown profile", `no profile "strict"; use one of ritual, evidence, background, observe`, func(o *install.Options) { o.Profile = "strict" }},
		{"a relative command", "neither an absolute path nor the name", func(o *install.Options) { o.Command = "bin/stophook" }},
		{"a command of another name", "not named stophook", func(o *install.Options) { o.Command = "/usr/bin/gate" }},
		{"no home", "set HOME", func(o *install.Options) { o.Env.Home = "" }},
		{"no project", "project folder is not known", func(o *install.Options) { o.Scope, o.Env.Project = install.ScopeProject, "" }},
	} {
		opts := claude(env)
		tc.change(&opts)
		if _, err := install.Plan(opts); err == nil || !strings.Contains(err.Error(), tc.say) {
			t.Errorf("%s: %v, want %q", tc.reason, err, tc.say)
		}
	}
}

func TestFiles_followTheVariables(t *testing.T) {
	env := place(t)
	vars := map[string]string{"CLAUDE_CONFIG_DIR": "/c", "CODEX_HOME": "/x", "GEMINI_CLI_HOME": "/g", "QWEN_HOME": "/q", "COPILOT_HOME": "/o"}
	env.Getenv = func(name string) string { return vars[name] }
	got := map[hookio.Host]string{}
	for _, f := range install.Files(env) {
		if f.Scope == install.ScopeUser {
			got[f.Host] = filepath.ToSlash(f.Path)
		}
	}
	for host, want := range map[hookio.Host]string{
		hookio.HostClaudeCode: "/c/settings.json", hookio.HostCodex: "/x/hooks.json", hookio.HostGemini: "/g/.gemini/settings.json",
		hookio.HostQwen: "/q/settings.json", hookio.HostCopilot: "/o/hooks/stophook.json",
		hookio.HostCursor: filepath.ToSlash(env.Home) + "/.cursor/hooks.json", install.HostDroid: filepath.ToSlash(env.Home) + "/.factory/settings.json",
	} {
		if got[host] != want {
			t.Errorf("%s: %q, want %q", host, got[host], want)
		}
	}
}

// When the agent's shell finds the program by name, both ways to call it are permitted.
func TestPlan_rulesByName(t *testing.T) {
	env := place(t)
	opts := claude(env)
	opts.Command = filepath.Join(env.Home, "my bin", "stophook")
	opts.Agent = []string{"stophook", "'" + opts.Command + "'"}
	c := plan(t, opts)
	if len(c.Rules) != 6 || c.Rules[0] != "Bash(stophook status:*)" || c.Rules[3] != "Bash('"+opts.Command+"' status:*)" {
		t.Errorf("rules %q", c.Rules)
	}
	remove(t, opts)
	same(t, "removed", "<none>", get(t, settingsPath(env)))
	for _, quiet := range []install.Profile{install.ProfileBackground, install.ProfileObserve} {
		opts.Profile = quiet
		if c := plan(t, opts); len(c.Rules) > 0 || strings.Contains(string(c.After), "permissions") {
			t.Errorf("%s asks for no evidence, but permits %q", quiet, c.Rules)
		}
	}
}

func TestFound(t *testing.T) {
	env := place(t)
	opts := claude(env)
	opts.Profile = install.ProfileBackground
	plan(t, opts)
	opts.Scope, opts.Host = install.ScopeProject, hookio.HostCodex
	plan(t, opts)
	put(t, filepath.Join(env.Project, ".claude", "settings.json"), "{broken")
	put(t, filepath.Join(env.Home, ".cursor", "hooks.json"),
		"{\"hooks\": {\n\"stop\": [{\"command\": \"FOO=1 exec 'C:\\\\Program Files\\\\stophook.exe' hook --profile=observe\", \"timeout\": 7.5}]}}")
	entries, err := install.Found(env)
	if err == nil || !strings.Contains(err.Error(), filepath.Join(".claude", "settings.json")+":1") {
		t.Errorf("the broken file is not told: %v", err)
	}
	if len(entries) != 9 {
		t.Fatalf("%d entries: %+v", len(entries), entries)
	}
	for _, e := range entries[:8] {
		if e.Profile != install.ProfileBackground || e.Program != program || e.Line == 0 {
			t.Errorf("%+v", e)
		}
	}
	if e := entries[2]; e.Event != "PreToolUse" || e.Matcher != "Bash" || e.Scope != install.ScopeUser {
		t.Errorf("%+v", e)
	}
	last := entries[8]
	if last.Program != `C:\Program Files\stophook.exe` || last.Profile != install.ProfileObserve || last.Line != 2 || last.Timeout != 7.5 {
		t.Errorf("%+v", last)
	}
}

// Two files that one host reads are two hooks, and the person is told.
func TestPlan_notesSecondInstallation(t *testing.T) {
	env := place(t)
	opts := claude(env)
	plan(t, opts)
	opts.Scope = install.ScopeProject
	c := plan(t, opts)
	if text := strings.Join(c.Notes, "\n"); !strings.Contains(text, settingsPath(env)+":8 calls stophook as well") {
		t.Errorf("user and project: %q", text)
	}
	opts.Host, opts.Scope = hookio.HostCursor, install.ScopeUser
	c = plan(t, opts)
	if text := strings.Join(c.Notes, "\n"); !strings.Contains(text, filepath.Join(".claude", "settings.json")+":8 calls stophook as well, and Cursor reads both") ||
		strings.Contains(text, settingsPath(env)) {
		t.Errorf("Cursor beside Claude Code's project file: %q", text)
	}
	opts.Host = hookio.HostGemini
	if text := strings.Join(plan(t, opts).Notes, "\n"); strings.Contains(text, "as well") {
		t.Errorf("Gemini reads nobody else's: %q", text)
	}
}

// Codex's sandbox keeps evidence from being written (measured): whoever installs
// is told what to allow, in a form that can be pasted.
func TestPlan_tellsOfCodexSandbox(t *testing.T) {
	env := place(t)
	opts := install.Options{Host: hookio.HostCodex, Command: "/bin/stophook", Env: env}
	want := `writable_roots = ["` + filepath.Join(env.Home, ".local", "state", "stophook") + `"]`
	if text := strings.Join(plan(t, opts).Notes, "\n"); !strings.Contains(text, want) {
		t.Errorf("no note has %s:\n%s", want, text)
	}
	opts.Profile = install.ProfileBackground // which asks for no evidence
	if text := strings.Join(plan(t, opts).Notes, "\n"); strings.Contains(text, "writable_roots") {
		t.Errorf("nothing is written under this profile:\n%s", text)
	}
	opts.Host, opts.Profile = hookio.HostGemini, install.ProfileRitual
	if text := strings.Join(plan(t, opts).Notes, "\n"); strings.Contains(text, "writable_roots") {
		t.Errorf("Gemini has no such sandbox:\n%s", text)
	}
}
