package policy

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/policy/decisionlog"
	"github.com/stophook/stophook/policy/evidence"
	"github.com/stophook/stophook/policy/hookio"
)

// explosive is a policy folder that panics when it is read.
type explosive struct{}

func (explosive) Open(string) (fs.File, error) { panic("boom") }

func stopEvent(t *testing.T, path string) *hookio.Event {
	t.Helper()
	ev, err := hookio.Decode([]byte(`{"hook_event_name":"Stop","session_id":"s1"}`), hookio.HostAuto)
	if err != nil {
		t.Fatal(err)
	}
	ev.TranscriptPath = path
	return ev
}

// toolTurn writes a transcript that owes the whole ritual.
func toolTurn(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.jsonl")
	rows := `{"type":"user","uuid":"u1","sessionId":"s1","timestamp":"2026-10-05T09:00:00Z","origin":{"kind":"human"},"message":{"role":"user","content":"go"}}
{"type":"assistant","uuid":"u2","parentUuid":"u1","sessionId":"s1","timestamp":"2026-10-05T09:00:01Z","message":{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make"}}]}}
{"type":"user","uuid":"u3","parentUuid":"u2","sessionId":"s1","timestamp":"2026-10-05T09:00:02Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}}
`
	if err := os.WriteFile(path, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func newGate(t *testing.T) *Gate {
	t.Helper()
	return &Gate{Config: DefaultConfig(), Store: evidence.Store{Dir: t.TempDir()}, Command: "stophook", Mode: "interactive", Now: func() time.Time { return sec(5) }}
}

func TestGate_D37_WhatFailsLetsTheTurnEnd(t *testing.T) {
	path := toolTurn(t)
	for _, tt := range []struct {
		reason  string
		change  func(*Gate, *hookio.Event)
		code    string
		mention string
	}{
		{"a policy folder that panics", func(g *Gate, _ *hookio.Event) { g.Layers = []Layer{{Name: "x", FS: explosive{}, Root: "x"}} }, "policy_error", "boom"},
		{"a policy that does not parse", func(g *Gate, _ *hookio.Event) {
			g.Layers = []Layer{layer("x", "x.rego", "package stophook.rules.x\n\nno")}
		}, "policy_error", "x"},
		{"a configuration that was not read", func(g *Gate, _ *hookio.Event) { g.ConfigErr = &ConfigError{File: "c.yaml", Line: 2, Problem: "no"} }, "policy_error", "c.yaml"},
		{"no transcript at the path (TR-12)", func(_ *Gate, ev *hookio.Event) { ev.TranscriptPath += ".gone" }, "evidence_unavailable", ".gone"},
		{"the host named none", func(_ *Gate, ev *hookio.Event) { ev.TranscriptPath = "" }, "evidence_unavailable", "no transcript"},
		{"no session id", func(_ *Gate, ev *hookio.Event) { ev.SessionID = "" }, "", ""},
		{"no state folder", func(g *Gate, _ *hookio.Event) { g.Store.Dir = "" }, "evidence_unavailable", "no folder for state"},
		{"the time is over", nil, "policy_error", "context"},
	} {
		g, ev, ctx := newGate(t), stopEvent(t, path), context.Background()
		if tt.change != nil {
			tt.change(g, ev)
		} else {
			late, cancel := context.WithCancel(ctx)
			cancel()
			ctx = late
		}
		o := g.Evaluate(ctx, ev)
		if tt.code == "" { // the transcript's own id stands in
			if o.Decision.Verdict != VerdictBlock || sessionID(o.Facts) != "s1" {
				t.Errorf("%s: %s of session %q", tt.reason, o.Decision.Code, sessionID(o.Facts))
			}
			continue
		}
		if d := o.Decision; d.Verdict != VerdictAllow || d.Code != "stop-hook."+tt.code || !strings.Contains(d.SystemMessage, tt.mention) {
			t.Errorf("%s: %s %s %q", tt.reason, d.Verdict, d.Code, d.SystemMessage)
		}
		if tt.code == "policy_error" && o.Failure == nil {
			t.Errorf("%s: no failure is named", tt.reason)
		}
	}
}

// A panic of the goroutine that reads must arrive in the caller's, which turns it
// into an answer for the host; on its own it would end the process with exit 2.
func TestGate_D37_AFaultWhileReadingReachesTheCaller(t *testing.T) {
	g := newGate(t)
	g.Now = func() time.Time { panic("no clock") }
	defer func() {
		fault, _ := recover().(error)
		if fault == nil || !strings.Contains(fault.Error(), "no clock") || !strings.Contains(fault.Error(), "gate_test.go") {
			t.Errorf("%v", fault)
		}
	}()
	g.Evaluate(context.Background(), stopEvent(t, toolTurn(t)))
	t.Error("an outcome without facts")
}

func TestGate_EvaluateChangesNothing(t *testing.T) {
	g := newGate(t)
	if o := g.Evaluate(context.Background(), stopEvent(t, toolTurn(t))); o.Decision.Verdict != VerdictBlock {
		t.Fatalf("%+v", o.Decision)
	}
	entries, err := os.ReadDir(g.Store.Dir)
	if err != nil || len(entries) != 0 {
		t.Errorf("%v in the state folder, %v", entries, err)
	}
}

// The input is encoded for the log while it is judged; the record must carry it,
// whatever decided, or the work is done twice.
func TestGate_TheRecordCarriesTheEncodedInput(t *testing.T) {
	path := toolTurn(t)
	for reason, change := range map[string]func(*Gate){
		"a verdict": func(*Gate) {},
		"a failure": func(g *Gate) { g.ConfigErr = &ConfigError{File: "c.yaml", Line: 2, Problem: "no"} },
	} {
		g := newGate(t)
		g.Log = &decisionlog.Writer{Path: filepath.Join(t.TempDir(), "prepared.jsonl")}
		change(g)
		e := g.Evaluate(context.Background(), stopEvent(t, path)).Record("id", "v1")
		if e.Prepared == nil || e.Input == nil {
			t.Fatalf("%s: prepared %v", reason, e.Prepared)
		}
		plain, whole := e, decisionlog.Writer{Path: filepath.Join(t.TempDir(), "plain.jsonl")}
		plain.Prepared = nil
		if err := errors.Join(g.Log.Append(e), whole.Append(plain)); err != nil {
			t.Fatal(err)
		}
		got, err1 := os.ReadFile(g.Log.Path)
		want, err2 := os.ReadFile(whole.Path)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s: %s", reason, diff)
		}
	}
}

// Only what judges the end of a turn reads the transcript: a tool call must not wait for it.
func TestGate_OtherEventsDoNotReadTheTranscript(t *testing.T) {
	path := toolTurn(t)
	for name, reads := range map[hookio.EventName]bool{hookio.Stop: true, hookio.StopFailure: true, hookio.PreToolUse: false, hookio.SubagentStop: false, "New": false} {
		ev := stopEvent(t, path)
		ev.Name = name
		f := newGate(t).facts(ev)
		if (f.Session.Rows > 0) != reads || f.Session.Path != path {
			t.Errorf("%s: %d rows of %q", name, f.Session.Rows, f.Session.Path)
		}
	}
}

func TestGate_HomeIsExpanded(t *testing.T) {
	g, path := newGate(t), toolTurn(t)
	g.Home = filepath.Dir(path)
	if f := g.facts(stopEvent(t, "~/t.jsonl")); f.Session.Rows != 3 || f.EvidenceError != "" {
		t.Errorf("%d rows, %q", f.Session.Rows, f.EvidenceError)
	}
}

// Entrypoint and mode are the environment's; without it (replay) the rows tell them.
func TestGate_Entrypoint(t *testing.T) {
	g, path := newGate(t), filepath.Join(t.TempDir(), "t.jsonl")
	row := `{"type":"user","uuid":"u1","sessionId":"s1","entrypoint":"sdk-cli","timestamp":"2026-10-05T09:00:00Z","message":{"role":"user","content":"go"}}` + "\n"
	if err := os.WriteFile(path, []byte(row), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ mode, entry, wantMode, wantEntry string }{
		{hookio.ModeUnknown, "", hookio.ModeHeadless, "sdk-cli"},
		{hookio.ModeInteractive, "", hookio.ModeInteractive, "sdk-cli"}, // attended, the environment says
		{hookio.ModeInteractive, "cli", hookio.ModeInteractive, "cli"},
		{hookio.ModeUnknown, "ide", hookio.ModeUnknown, "ide"},
	} {
		g.Mode, g.Entry = tt.mode, tt.entry
		if f := g.facts(stopEvent(t, path)); f.Mode != tt.wantMode || f.Entrypoint != tt.wantEntry {
			t.Errorf("%s %q: %s %q, want %s %q", tt.mode, tt.entry, f.Mode, f.Entrypoint, tt.wantMode, tt.wantEntry)
		}
	}
}

func TestGate_CorruptStateIsSetAside(t *testing.T) {
	ctx := context.Background()
	g, path := newGate(t), toolTurn(t)
	session, err := g.Store.Session("s1")
	if err == nil {
		err = os.MkdirAll(session.Path(), 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(session.Path(), "state.json"), []byte("{"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	o := g.Evaluate(ctx, stopEvent(t, path))
	if d := g.Carry(ctx, o); d.Verdict != VerdictAllow || d.Code != "stop-hook.evidence_unavailable" {
		t.Errorf("%+v", d)
	}
	o = g.Evaluate(ctx, stopEvent(t, path))
	if d := g.Carry(ctx, o); d.Verdict != VerdictBlock {
		t.Errorf("the next stop is judged again: %+v", d)
	}
}

func TestToolFacts_PO14(t *testing.T) {
	for _, tt := range []struct {
		reason, payload string
		shell           bool
		waits           []string
	}{
		{"a loop that sleeps", `"tool_name":"Bash","tool_input":{"command":"while ! ready; do sleep 5; done"}`, true, []string{"sleep_loop"}},
		{"Codex writes cmd", `"tool_name":"exec_command","tool_input":{"cmd":"while ! ready; do sleep 5; done"}`, true, []string{"sleep_loop"}},
		{"a short sleep is no wait", `"tool_name":"Bash","tool_input":{"command":"sleep 1; npm test"}`, true, nil},
		{"no command", `"tool_name":"Read","tool_input":{"file_path":"/x"}`, false, nil},
		{"a command that is no text", `"tool_name":"Bash","tool_input":{"command":["a"]}`, false, nil},
		{"an input that is no object", `"tool_name":"Bash","tool_input":"ls"`, false, nil},
		{"no input", `"tool_name":"Bash"`, false, nil},
	} {
		ev, err := hookio.Decode([]byte(`{"hook_event_name":"PreToolUse",`+tt.payload+`}`), hookio.HostAuto)
		if err != nil {
			t.Fatal(err)
		}
		doc := toolFacts(ev)
		facts, ok := doc["shell"].(map[string]any)
		if ok != tt.shell {
			t.Errorf("%s: shell facts %t, want %t", tt.reason, ok, tt.shell)
			continue
		}
		var kinds []string
		if ok {
			for _, w := range facts["waits"].([]any) {
				kinds = append(kinds, w.(map[string]any)["kind"].(string))
			}
		}
		if !slices.Equal(kinds, tt.waits) {
			t.Errorf("%s: %v, want %v", tt.reason, kinds, tt.waits)
		}
	}
}

func TestGate_Failed(t *testing.T) {
	g := newGate(t)
	o := g.Failed(&hookio.Event{SessionID: "s1"}, Failure{Kind: FailureEvidence, Message: "stdin: empty"})
	e := o.Record("id", "v")
	if e.SessionID() != "s1" || e.Input != nil || o.Decision.Verdict != VerdictAllow {
		t.Errorf("%+v", e)
	}
	if o.Facts.Session.Turn.Origin != "unknown" {
		t.Errorf("%+v", o.Facts.Session)
	}
}
