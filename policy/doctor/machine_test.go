package doctor_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/stophook/stophook/policy/decisionlog"
	"github.com/stophook/stophook/policy/doctor"
	"github.com/stophook/stophook/policy/hookio"
	"github.com/stophook/stophook/policy/install"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// machine is a home, a project and a stophook that is a fake: what it answers is
// up to the test.
type machine struct {
	t    *testing.T
	dir  string
	opts doctor.Options
	env  map[string]string
	hook func(c doctor.Call, payload map[string]any) doctor.Result // what the installed command does
	// calls are the processes that were started.
	calls []doctor.Call
	free  int64
	mine  bool
}

// newMachine is healthy: installed for Claude Code, with a state folder, a session
// and a workshop.
func newMachine(t *testing.T) *machine {
	t.Helper()
	m := &machine{t: t, dir: t.TempDir(), env: map[string]string{}, free: 1 << 40, mine: true}
	m.hook = m.holding
	getenv := func(name string) string { return m.env[name] }
	m.opts = doctor.Options{
		Env:     install.Env{Getenv: getenv, Home: m.at("home"), Project: m.at("project"), GOOS: "linux"},
		Environ: []string{"PATH=/usr/bin:/bin", "STOPHOOK_BYPASS=1", "CLAUDE_ENV_FILE=/x", "KEPT=yes"},
		Workdir: m.at("project"), Project: m.at("project"), Program: m.at("bin/stophook"), Command: m.at("bin/stophook"), Version: "1.2.3",
		Workshop: m.at("bin/stophook-workshop"), StateDir: m.at("home/.local/state/stophook"),
		Now: func() time.Time { return now }, Start: m.start,
		TempDir:  func() (string, error) { return os.MkdirTemp(m.at("tmp"), "probe-") },
		LookPath: func(string) (string, error) { return "", os.ErrNotExist },
		Free:     func(string) (int64, error) { return m.free, nil },
		Mine:     func(os.FileInfo) bool { return m.mine },
	}
	for _, dir := range []string{"project", "tmp"} {
		m.mkdir(dir)
	}
	m.mkdir("home/.local/state/stophook")
	m.put("bin/stophook", "binary")
	m.chmod("bin/stophook", 0o755)
	m.put("home/.claude/projects/-p/s.jsonl", `{"timestamp":"2026-11-30T11:59:58.000Z"}`+"\n"+`{"no":"time"}`+"\n")
	m.install(hookio.HostClaudeCode, install.ScopeUser, install.ProfileRitual)
	return m
}

func (m *machine) at(path string) string { return filepath.Join(m.dir, path) }

func (m *machine) check(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) mkdir(path string) { m.t.Helper(); m.check(os.MkdirAll(m.at(path), 0o700)) }

func (m *machine) put(path, text string) {
	m.t.Helper()
	m.check(os.MkdirAll(filepath.Dir(m.at(path)), 0o700))
	m.check(os.WriteFile(m.at(path), []byte(text), 0o600))
}

func (m *machine) chmod(path string, mode os.FileMode) {
	m.t.Helper()
	m.check(os.Chmod(m.at(path), mode))
}

func (m *machine) install(host hookio.Host, scope install.Scope, profile install.Profile) {
	m.t.Helper()
	c, err := install.Plan(install.Options{Host: host, Scope: scope, Profile: profile, Command: m.at("bin/stophook"), Env: m.opts.Env})
	m.check(err)
	m.check(c.Apply())
}

// replaceIn changes a text in a file of the machine.
func (m *machine) replaceIn(path, old, text string) {
	m.t.Helper()
	data, err := os.ReadFile(m.at(path))
	m.check(err)
	if !strings.Contains(string(data), old) {
		m.t.Fatalf("%s has no %q:\n%s", path, old, data)
	}
	m.put(path, strings.ReplaceAll(string(data), old, text))
}

// start plays the processes: versions, and the hook.
func (m *machine) start(ctx context.Context, c doctor.Call) doctor.Result {
	m.calls = append(m.calls, c)
	switch {
	case c.Path == m.at("bin/stophook-workshop"):
		return doctor.Result{Stdout: "1.2.3\n"}
	case len(c.Args) > 0 && c.Args[0] == "version":
		return doctor.Result{Stdout: `{"version":"0.9.0"}`}
	}
	var payload map[string]any
	m.check(json.Unmarshal(c.Stdin, &payload))
	r := m.hook(c, payload)
	if r.Took == 0 {
		r.Took = 9 * time.Millisecond
	}
	return r
}

// holding is a hook that does what it should.
func (m *machine) holding(c doctor.Call, payload map[string]any) doctor.Result {
	switch event := payload["hook_event_name"]; event {
	case "Stop", "AfterAgent", "stop", nil:
		m.log(c, payload, "block", nil)
		if event == "stop" {
			return doctor.Result{Stdout: `{"followup_message":"Run it."}` + "\n"}
		}
		return doctor.Result{Stdout: `{"decision":"block","reason":"Run it."}` + "\n"}
	case "SubagentStop":
		m.log(c, payload, "allow", nil)
	case "SessionStart":
		return doctor.Result{Stdout: `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"x"}}` + "\n"}
	}
	return doctor.Result{}
}

// log writes the decision where the environment of the call says.
func (m *machine) log(c doctor.Call, payload map[string]any, verdict string, more map[string]any) {
	m.t.Helper()
	id, _ := payload["session_id"].(string)
	if id == "" {
		id, _ = payload["conversation_id"].(string)
	}
	e := decisionlog.Event{Timestamp: now, Result: map[string]any{"verdict": verdict, "code": "stop-hook." + verdict, "system_message": more["message"]},
		Custom: map[string]any{"session_id": id, "shadow": more["shadow"] == true}}
	if msg, ok := more["error"]; ok {
		e.Error = map[string]any{"code": "policy_error", "message": msg}
	}
	m.check((&decisionlog.Writer{Path: filepath.Join(environ(c, "XDG_STATE_HOME"), "stophook", "decisions.jsonl")}).Append(e))
}

func environ(c doctor.Call, name string) string {
	for _, v := range c.Env {
		if text, ok := strings.CutPrefix(v, name+"="); ok {
			return text
		}
	}
	return ""
}

func (m *machine) examine() *doctor.Report {
	m.t.Helper()
	r := doctor.Examine(context.Background(), m.opts)
	for i, f := range r.Findings {
		if f.ID == "" || f.Title == "" || f.Severity == "" || strings.Contains(f.Title, "\n") {
			m.t.Errorf("finding %d is not whole: %+v", i, f)
		}
		if (f.Severity == doctor.Error || f.Severity == doctor.Warning) && f.Todo == "" {
			m.t.Errorf("%s does not say what to do: %+v", f.ID, f)
		}
	}
	if left, _ := os.ReadDir(m.at("tmp")); len(left) > 0 {
		m.t.Errorf("the sample session was not removed: %v", left)
	}
	return r
}

// told are the findings that are not OK: severity and id, and the line where there is one.
func told(r *doctor.Report) string {
	var list []string
	for _, f := range r.Findings {
		if f.Severity == doctor.OK {
			continue
		}
		text := string(f.Severity) + " " + f.ID
		if f.Line > 0 {
			text += " " + filepath.Base(f.File) + ":" + where(f)
		}
		if f.Fixable {
			text += " (fixable)"
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

// where is the line of a finding; "call" when that is where stophook is called,
// because how an installation is laid out is no matter of the doctor.
func where(f doctor.Finding) string {
	data, _ := os.ReadFile(f.File)
	lines := strings.Split(string(data), "\n")
	if f.Line <= len(lines) && strings.Contains(lines[f.Line-1], "stophook hook") {
		return "call"
	}
	return fmt.Sprint(f.Line)
}

// find is the first finding of an id.
func find(t *testing.T, r *doctor.Report, id string) doctor.Finding {
	t.Helper()
	for _, f := range r.Findings {
		if f.ID == id {
			return f
		}
	}
	t.Fatalf("there is no finding %s: %s", id, told(r))
	return doctor.Finding{}
}

var errBoom = errors.New("boom")
