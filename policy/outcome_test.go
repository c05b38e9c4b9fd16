package policy

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stophook/stophook/policy/evidence"
	"github.com/stophook/stophook/policy/hookio"
	"github.com/stophook/stophook/transcript"
)

func TestAtLeast_ClaudeCode4(t *testing.T) {
	for _, tt := range []struct {
		version, reason string
		want            bool
	}{
		{"2.1.163", "the first that knows feedback", true},
		{"2.1.164", "a later patch", true},
		{"2.1.1000", "numbers, not letters", true},
		{"2.2.0", "a later minor version", true},
		{"3.0", "a later major version needs no third number", true},
		{"10.0.0", "two digits", true},
		{"2.1.162", "one too old", false},
		{"2.1.99", "numbers, not letters", false},
		{"2.0.500", "an older minor version", false},
		{"1.9.999", "an older major version", false},
		{"2.1", "cannot be told", false},
		{"", "the transcript says nothing", false},
		{"dev", "no version", false},
		{"2.1.163-beta.1", "before the release", false},
		{"v2.1.200", "another way to write it", false},
		{"2..163", "broken", false},
		{"-2.1.163", "broken", false},
	} {
		if got := atLeast(tt.version, 2, 1, 163); got != tt.want {
			t.Errorf("%q (%s): %t, want %t", tt.version, tt.reason, got, tt.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) { atLeast(rapid.String().Draw(t, "version"), 2, 1, 163) })
}

func TestBlockStyle(t *testing.T) {
	for _, tt := range []struct {
		style, version string
		want           hookio.BlockStyle
	}{
		{BlockStyleDecision, "2.1.332", hookio.StyleDecision},
		{BlockStyleFeedback, "2.1.332", hookio.StyleFeedback},
		{BlockStyleFeedback, "2.1.100", hookio.StyleDecision},
		{BlockStyleFeedback, "", hookio.StyleDecision},
	} {
		o := &Outcome{Facts: &Facts{Config: Config{BlockStyle: tt.style}, Session: &transcript.Session{Version: tt.version}}}
		if got := o.BlockStyle(); got != tt.want {
			t.Errorf("%s on %q: %s, want %s", tt.style, tt.version, got, tt.want)
		}
	}
}

func TestAnswer(t *testing.T) {
	stop, tool := &hookio.Event{Name: hookio.Stop}, &hookio.Event{Name: hookio.PreToolUse}
	for _, tt := range []struct {
		reason  string
		d       Decision
		ev      *hookio.Event
		shadow  bool
		kind    hookio.Kind
		message string
	}{
		{"an allow", Decision{Verdict: VerdictAllow}, stop, false, hookio.KindAllow, ""},
		{"an allow with a message", Decision{Verdict: VerdictAllow, SystemMessage: "m"}, stop, false, hookio.KindAllow, "m"},
		{"a block", Decision{Verdict: VerdictBlock, Reason: "r", SystemMessage: "m"}, stop, false, hookio.KindBlock, "m"},
		{"a denied call", Decision{Verdict: VerdictBlock, Reason: "r"}, tool, false, hookio.KindDeny, ""},
		{"a defer is an allow", Decision{Verdict: VerdictDefer, Reason: "r"}, stop, false, hookio.KindAllow, ""},
		{"shadow lets everything pass, in silence", Decision{Verdict: VerdictBlock, Reason: "r", SystemMessage: "m"}, stop, true, hookio.KindAllow, ""},
		{"a word that is no verdict is no block", Decision{Verdict: "BLOCK"}, stop, false, hookio.KindAllow, ""},
	} {
		a := tt.d.Answer(tt.ev, tt.shadow)
		if a.Kind() != tt.kind || a.Message() != tt.message {
			t.Errorf("%s: %s %q, want %s %q", tt.reason, a.Kind(), a.Message(), tt.kind, tt.message)
		}
	}
}

// carried is an outcome of a Stop with the given decision, and the gate and the
// session that it is carried out on.
func carried(t *testing.T, d Decision, state evidence.State) (*Gate, *evidence.Session, *Outcome) {
	t.Helper()
	g := &Gate{Store: evidence.Store{Dir: t.TempDir(), LockWait: time.Second}, Now: func() time.Time { return sec(60) }}
	session, err := g.Store.Session("s1")
	if err == nil && state.Remediation != (evidence.Remediation{}) {
		err = session.Update(context.Background(), func(st *evidence.State) error {
			st.Remediation, st.Nudged = state.Remediation, state.Nudged
			return nil
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	o := &Outcome{Decision: &d, Facts: &Facts{Now: sec(60), Event: &hookio.Event{Name: hookio.Stop, SessionID: "s1"}, State: state,
		Config: DefaultConfig(), Session: &transcript.Session{Turn: transcript.Turn{PromptUUID: "p1"}}}}
	return g, session, o
}

func block(nudge bool) Decision {
	return Decision{Verdict: VerdictBlock, Code: "stop-hook.status_check_missing", Reason: "r",
		Demands: []Demand{{Rule: "status_check"}}, Effects: Effects{Remediation: RemediationIncrement, Nudge: nudge}}
}

func TestCarry_D38_CountsBeforeItBlocks(t *testing.T) {
	ctx := context.Background()
	counted := func(cycle string, n int) evidence.State {
		return evidence.State{Remediation: evidence.Remediation{Cycle: cycle, Count: n}}
	}
	allow := Decision{Verdict: VerdictAllow, Effects: Effects{Remediation: RemediationClear}}
	ends := Decision{Verdict: VerdictAllow, Effects: Effects{Remediation: RemediationClear, ReconcileSessionEnd: true}}
	for _, tt := range []struct {
		reason  string
		d       Decision
		before  evidence.State
		verdict string
		after   evidence.Remediation
		nudged  string
		ended   int
	}{
		{"the first block", block(false), evidence.State{}, VerdictBlock, evidence.Remediation{Cycle: "p1", Count: 1}, "", 0},
		{"one more", block(false), counted("p1", 4), VerdictBlock, evidence.Remediation{Cycle: "p1", Count: 5}, "", 0},
		{"another hook took the last block meanwhile", block(false), counted("p1", 5), VerdictAllow, evidence.Remediation{Cycle: "p1", Count: 5}, "", 0},
		{"a new prompt begins a cycle", block(false), counted("p0", 5), VerdictBlock, evidence.Remediation{Cycle: "p1", Count: 1}, "", 0},
		{"a nudge is remembered with its block", block(true), evidence.State{}, VerdictBlock, evidence.Remediation{Cycle: "p1", Count: 1}, "p1", 0},
		{"an allow clears", allow, counted("p1", 3), VerdictAllow, evidence.Remediation{}, "", 0},
		{"a pass ends the session that asked for it", ends, evidence.State{}, VerdictAllow, evidence.Remediation{}, "", 1},
		{"what keeps, keeps", Decision{Verdict: VerdictAllow, Effects: Effects{Remediation: RemediationKeep}}, counted("p1", 3), VerdictAllow, evidence.Remediation{Cycle: "p1", Count: 3}, "", 0},
	} {
		g, session, o := carried(t, tt.d, tt.before)
		d := g.Carry(ctx, o)
		st, err := session.Load()
		log, logErr := session.Events()
		if err := errors.Join(err, logErr); err != nil {
			t.Fatal(err)
		}
		if d.Verdict != tt.verdict || st.Remediation != tt.after || st.Nudged != tt.nudged || len(log.Events) != tt.ended {
			t.Errorf("%s: %s, state %+v, %d events", tt.reason, d.Verdict, st, len(log.Events))
		}
		if d.Verdict != tt.d.Verdict && (d.Code != "stop-hook.evidence_unavailable" || d.SystemMessage == "" || len(d.Demands) != 1 || o.Failure == nil) {
			t.Errorf("%s: a block that was taken back must say so and keep its demands: %+v", tt.reason, d)
		}
	}
}

func TestCarry_D38_NoBlockWithoutItsCount(t *testing.T) {
	ctx := context.Background()
	g, _, o := carried(t, block(false), evidence.State{})
	if err := os.WriteFile(filepath.Join(g.Store.Dir, "sessions"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if d := g.Carry(ctx, o); d.Verdict != VerdictAllow || !strings.Contains(d.SystemMessage, "could not be counted") {
		t.Errorf("a file in the way: %+v", d)
	}

	g, session, o := carried(t, block(false), evidence.State{Remediation: evidence.Remediation{Cycle: "p1", Count: 2}})
	if err := os.WriteFile(filepath.Join(session.Path(), "state.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if d := g.Carry(ctx, o); d.Verdict != VerdictAllow {
		t.Errorf("the state broke between reading and counting: %+v", d)
	}

	g, _, o = carried(t, block(false), evidence.State{})
	o.Facts.Event.SessionID = ""
	if d := g.Carry(ctx, o); d.Verdict != VerdictAllow {
		t.Errorf("no session to count on: %+v", d)
	}

	g, _, o = carried(t, block(false), evidence.State{})
	g.Store.Dir = ""
	if d := g.Carry(ctx, o); d.Verdict != VerdictAllow {
		t.Errorf("no state folder at all: %+v", d)
	}

	late, cancel := context.WithCancel(ctx)
	cancel()
	g, _, o = carried(t, block(false), evidence.State{})
	if d := g.Carry(late, o); d.Verdict != VerdictAllow {
		t.Errorf("no time left to count: %+v", d)
	}

	// An allow stays an allow, and the trouble is said.
	g, _, o = carried(t, Decision{Verdict: VerdictAllow, Effects: Effects{Remediation: RemediationClear, ReconcileSessionEnd: true}}, evidence.State{})
	if err := os.WriteFile(filepath.Join(g.Store.Dir, "sessions"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if d := g.Carry(ctx, o); d.Verdict != VerdictAllow || len(o.Problems) != 1 {
		t.Errorf("%+v, problems %q", d, o.Problems)
	}
}

func TestCarry_ShadowAndOtherEventsTouchNothing(t *testing.T) {
	for _, change := range []func(*Gate, *Outcome){
		func(g *Gate, _ *Outcome) { g.Shadow = true },
		func(_ *Gate, o *Outcome) { o.Facts.Event.Name = hookio.PreToolUse },
		func(_ *Gate, o *Outcome) { o.Facts.Event.Name = hookio.SubagentStop },
	} {
		g, session, o := carried(t, block(true), evidence.State{})
		change(g, o)
		if d := g.Carry(context.Background(), o); d != o.Decision || d.Verdict != VerdictBlock {
			t.Errorf("%+v", d)
		}
		if _, err := os.Stat(session.Path()); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the session's folder was made: %v", err)
		}
	}
}

func TestBriefing_ThreeLinesOfTheRitual(t *testing.T) {
	ctx := context.Background()
	g := &Gate{Config: DefaultConfig(), Command: "/opt/it/stophook", Now: time.Now}
	brief, err := g.Briefing(ctx, &hookio.Event{SessionID: "s1"})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(brief, "\n")
	if len(lines) != 3 {
		t.Errorf("%d lines:\n%s", len(lines), brief)
	}
	for i, command := range []string{"status --end-turn", "task", "name"} {
		if !strings.Contains(lines[i], "`/opt/it/stophook "+command) {
			t.Errorf("line %d does not name %s as it can be called: %s", i+1, command, lines[i])
		}
	}
	g.Config.Rules = map[string]RuleConfig{"session_named": {Severity: SeverityOff}, "task_declared": {Severity: SeverityWarn}, "status_check": {Severity: SeverityObserve}}
	if brief, err := g.Briefing(ctx, &hookio.Event{SessionID: "s1"}); brief != "" || err != nil {
		t.Errorf("rules that do not block have no line: %q, %v", brief, err)
	}
	g.ConfigErr = errors.New("config.yaml:1: no")
	if _, err := g.Briefing(ctx, &hookio.Event{SessionID: "s1"}); !errors.Is(err, g.ConfigErr) {
		t.Errorf("%v", err)
	}
}

func TestRecord_SaysEverythingAndNoMore(t *testing.T) {
	d := Fallback(Failure{Kind: FailurePolicy, Message: "no", File: "a.rego", Line: 3})
	o := &Outcome{Decision: d, Failure: &Failure{Kind: FailurePolicy, Message: "no", File: "a.rego", Line: 3}, Spent: map[string]time.Duration{"read": time.Millisecond},
		Facts: &Facts{Now: sec(0), Event: &hookio.Event{SessionID: "s1"}, Session: &transcript.Session{}}}
	e := o.Record("id-1", "v1")
	if e.Input != nil {
		t.Error("an input that was never built is logged")
	}
	b, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"decision_id":"id-1"`, `"session_id":"s1"`, `"code":"policy_error"`, `"verdict":"allow"`, `"timer_read_ns":1000000`, `"version":"v1"`} {
		if !strings.Contains(string(b), want) {
			t.Errorf("no %s in %s", want, b)
		}
	}
	o.Input = map[string]any{"schema": InputSchema}
	if diff := cmp.Diff(any(o.Input), o.Record("id-2", "v1").Input); diff != "" {
		t.Error(diff)
	}
}

func TestFailure_String(t *testing.T) {
	for f, want := range map[Failure]string{
		{Message: "no"}:                            "no",
		{Message: "no", File: "a.rego"}:            "a.rego: no",
		{Message: "no", File: "a.rego", Line: 3}:   "a.rego:3: no",
		{Kind: FailureEvidence, Message: "locked"}: "locked",
	} {
		if f.String() != want {
			t.Errorf("%q, want %q", f.String(), want)
		}
	}
}
