package doctor_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/policy/doctor"
	"github.com/stophook/stophook/policy/hookio"
	"github.com/stophook/stophook/policy/install"
)

// A healthy installation has nothing to complain about, whatever the host.
func TestExamine_Healthy(t *testing.T) {
	for _, host := range install.Hosts() {
		m := newMachine(t)
		m.opts.Host = host
		m.install(host, install.ScopeUser, install.ProfileRitual)
		want := ""
		if host == hookio.HostCodex {
			file := m.at("home/.codex/hooks.json")
			m.put("home/.codex/config.toml", "[hooks.state.\""+file+":stop:0:0\"]\nenabled = true\ntrusted_hash = \"sha256:1\"\n")
			m.mkdir("home/.codex/sessions")
		}
		r := m.examine()
		if got := told(r); got != want || !r.Healthy() {
			t.Errorf("%s: %s", host, got)
		}
		if f := find(t, r, "hook_holds"); f.Severity != doctor.OK || f.File == "" || f.Line == 0 {
			t.Errorf("%s: %+v", host, f)
		}
		if r.Schema != doctor.Schema || r.Limits == nil {
			t.Errorf("%s: %+v", host, r)
		}
	}
}

// The hook is run as the host runs it, in an environment without what would change
// the answer or leave a trace.
func TestExamine_RunsAsTheHostDoes(t *testing.T) {
	m := newMachine(t)
	m.examine()
	at := slices.IndexFunc(m.calls, func(c doctor.Call) bool { return strings.Contains(string(c.Stdin), `"hook_event_name":"Stop"`) })
	if at < 0 {
		t.Fatalf("the Stop hook was not run: %v", m.calls)
	}
	c := m.calls[at]
	if c.Shell != m.at("bin/stophook")+" hook" || c.Path != "" || c.Dir != m.opts.Project {
		t.Errorf("%q in %s", c.Shell+c.Path, c.Dir)
	}
	for name, want := range map[string]string{"KEPT": "yes", "STOPHOOK_BYPASS": "", "CLAUDE_ENV_FILE": "", "CLAUDE_PROJECT_DIR": m.opts.Project} {
		if got := environ(c, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if state := environ(c, "XDG_STATE_HOME"); !strings.HasPrefix(state, m.at("tmp")) {
		t.Errorf("evidence of the sample goes to %q", state)
	}
	events := map[string]int{}
	for _, c := range m.calls {
		for _, event := range []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "Stop", "SubagentStop"} {
			if strings.Contains(string(c.Stdin), `"hook_event_name":"`+event+`"`) {
				events[event]++
			}
		}
	}
	if diff := cmp.Diff(map[string]int{"SessionStart": 1, "UserPromptSubmit": 1, "PreToolUse": 1, "Stop": 1, "SubagentStop": 1}, events); diff != "" {
		t.Error(diff)
	}
}

// The exec form is started without a shell.
func TestExamine_ExecForm(t *testing.T) {
	m := newMachine(t)
	c, err := install.Plan(install.Options{Command: m.at("bin/stophook"), Exec: true, Env: m.opts.Env})
	m.check(err)
	m.check(c.Apply())
	if got := told(m.examine()); got != "" {
		t.Error(got)
	}
	for _, c := range m.calls {
		if c.Shell != "" || c.Path == m.at("bin/stophook") && (len(c.Args) == 0 || c.Args[0] != "hook") {
			t.Errorf("%q %q %q", c.Shell, c.Path, c.Args)
		}
	}
}

// Every finding has a cause that produces it, and nothing else.
func TestExamine_Findings(t *testing.T) {
	for _, tt := range findingCases() {
		t.Run(tt.reason, func(t *testing.T) {
			m := newMachine(t)
			tt.change(m)
			r := m.examine()
			if got := told(r); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
				for _, f := range r.Findings {
					t.Logf("%s %s: %s\n  %s", f.Severity, f.ID, f.Title, f.Detail)
				}
			}
			if r.Healthy() == strings.Contains(tt.want, "error ") {
				t.Errorf("healthy is %t with %q", r.Healthy(), tt.want)
			}
		})
	}
}

// What is asked of one host says nothing about the others.
func TestExamine_OneHost(t *testing.T) {
	m := newMachine(t)
	m.opts.Host = hookio.HostGemini
	r := m.examine()
	if got := told(r); got != "error not_installed" {
		t.Error(got)
	}
	if f := find(t, r, "not_installed"); !strings.Contains(f.Todo, "--host gemini") || !strings.Contains(f.Detail, ".gemini") {
		t.Errorf("%+v", f)
	}
}

func TestRepair(t *testing.T) {
	m := newMachine(t)
	m.mkdir("home/.local/state/stophook/sessions")
	m.chmod("home/.local/state/stophook", 0o777)
	m.chmod("home/.local/state/stophook/sessions", 0o755)
	m.session("old", 40)
	m.session("young", 2)
	m.replaceIn("home/.claude/settings.json", m.at("bin/stophook")+" hook", m.at("gone/stophook")+" hook --profile evidence")
	r := m.examine()
	want := "error program_missing settings.json:call (fixable), error state_open (fixable), warning state_open (fixable), note old_sessions (fixable)"
	if got := told(r); got != want {
		t.Fatalf("got  %s\nwant %s", got, want)
	}
	for _, done := range r.Repair() {
		if done.Error != "" || done.Done == "" {
			t.Errorf("%+v", done)
		}
	}
	if again := r.Repair(); len(again) != 0 {
		t.Errorf("a repair is done twice: %+v", again)
	}
	after := m.examine()
	if got := told(after); got != "" {
		t.Errorf("afterwards: %s", got)
	}
	if f := find(t, after, "hook_holds"); !strings.Contains(f.Title, "(evidence,") {
		t.Errorf("the profile was changed: %s", f.Title)
	}
	for path, mode := range map[string]os.FileMode{"stophook": 0o700, "stophook/sessions": 0o700} {
		if info, err := os.Stat(m.at("home/.local/state/" + path)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	if _, err := os.Stat(m.at("home/.local/state/stophook/sessions/young")); err != nil {
		t.Error("a young session was removed")
	}
}

// A repair that fails says why.
func TestRepair_Fails(t *testing.T) {
	m := newMachine(t)
	m.replaceIn("home/.claude/settings.json", m.at("bin/stophook"), m.at("gone/stophook"))
	r := m.examine()
	m.put("home/.claude/settings.json", "{")
	if got := r.Repair(); len(got) != 1 || got[0].Error == "" || got[0].ID != "program_missing" {
		t.Errorf("%+v", got)
	}
}
