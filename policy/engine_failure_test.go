package policy

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFail_CL2: a failure is an allow that says so, unless a rule fails closed;
// then it is a block, counted and capped like any other.
func TestFail_CL2(t *testing.T) {
	broken := layer("project", "p.rego", "package stophook.rules.p\n\ndemand contains {\n")
	closedRule := layer("org", "strict.rego", always("strict", ", fail: closed"))
	closed := setting("gone", "fail", "closed")
	for _, tc := range []struct {
		reason  string
		layers  []Layer
		in      map[string]any
		verdict string
		code    string
		effect  string
	}{
		{"open", []Layer{broken}, testInput(), VerdictAllow, "policy_error", RemediationKeep},
		{"closed by METADATA of another layer", []Layer{closedRule, broken}, testInput(), VerdictBlock, "policy_error", RemediationIncrement},
		{"closed, and opened by the settings", []Layer{closedRule, broken}, testInput(setting("strict", "fail", "open")), VerdictAllow, "policy_error", RemediationKeep},
		{"closed, and only observing", []Layer{closedRule, broken}, testInput(setting("strict", "severity", "observe")), VerdictAllow, "policy_error", RemediationKeep},
		{"closed by settings, of a rule that did not load", []Layer{broken}, testInput(closed), VerdictBlock, "policy_error", RemediationIncrement},
		{"the cap holds", []Layer{broken}, testInput(closed, set("remediation", "count", 5)), VerdictAllow, "remediation_cap", RemediationClear},
		{"an unknown count is no count", []Layer{broken}, testInput(closed, unset("remediation")), VerdictAllow, "remediation_cap", RemediationClear},
		{"bypass", []Layer{broken}, testInput(closed, set("self", "bypass", true)), VerdictAllow, "policy_error", RemediationKeep},
		{"a host without a gate", []Layer{broken}, testInput(closed, set("host", "can_block", false)), VerdictAllow, "policy_error", RemediationKeep},
		{"before a tool", []Layer{broken}, testInput(closed, event("PreToolUse")), VerdictAllow, "policy_error", RemediationKeep},
		{"a subagent", []Layer{broken}, testInput(closed, event("SubagentStop")), VerdictAllow, "policy_error", RemediationKeep},
		{"a shadow", []Layer{broken}, testInput(closed, set("self", "shadow", true)), VerdictBlock, "policy_error", RemediationKeep},
		{"no input at all", []Layer{broken}, nil, VerdictAllow, "policy_error", RemediationKeep},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			event := inputEvent(tc.in)
			e, err := NewEngine(context.Background(), EngineOptions{Event: event, Layers: tc.layers})
			if err == nil {
				t.Fatal("it loaded")
			}
			d, ferr := e.Fail(context.Background(), tc.in, FailureOf(err))
			if ferr != nil {
				t.Fatal(ferr)
			}
			if diff := cmp.Diff([]any{tc.verdict, "stop-hook." + tc.code, tc.effect}, []any{d.Verdict, d.Code, d.Effects.Remediation}); diff != "" {
				t.Error(diff)
			}
			if text := d.SystemMessage + d.Reason; !strings.Contains(text, "/etc/project/p.rego:4") || !strings.Contains(text, "rego_parse_error") {
				t.Errorf("neither file nor line: %q", text)
			}
		})
	}
}

func TestFail_DoesNotNeedTheRules(t *testing.T) {
	e := newEngine(t, EngineOptions{Layers: []Layer{layer("project", "p.rego", head+"demand contains {\"text\": x} if x := to_number(\"a\")\n")}})
	d, err := e.Fail(context.Background(), testInput(), Failure{Kind: FailureEvidence, Message: "state folder is not ours"})
	if err != nil || d.Code != "stop-hook.evidence_unavailable" || !strings.Contains(d.SystemMessage, "state folder is not ours") {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestFailureOf(t *testing.T) {
	err := PolicyErrors{{File: "a.rego", Line: 3, Message: "no", Hint: "do it"}, {File: "b.rego", Message: "neither"}}
	if diff := cmp.Diff(Failure{Kind: FailurePolicy, Message: "no (do it)", File: "a.rego", Line: 3}, FailureOf(err)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(Failure{Kind: FailurePolicy, Message: "plain"}, FailureOf(errors.New("plain"))); diff != "" {
		t.Error(diff)
	}
	if got, want := err.Error(), "a.rego:3: no\n  do it\nb.rego: neither"; got != want {
		t.Errorf("got %q", got)
	}
}

func TestFallback(t *testing.T) {
	d := Fallback(Failure{Kind: FailurePolicy, Message: "no", File: "a.rego", Line: 3})
	if d.Verdict != VerdictAllow || d.Effects != (Effects{Remediation: RemediationKeep}) || !strings.Contains(d.SystemMessage, "a.rego:3: no") || d.Code != "stop-hook.policy_error" {
		t.Errorf("%+v", d)
	}
}
