package policy

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/open-policy-agent/opa/v1/ast"
)

func parseMeta(t *testing.T, custom string) (*RuleMeta, error) {
	t.Helper()
	src := "# METADATA\n# description: What it is for.\n# custom: " + custom + "\npackage stophook.rules.mine\n"
	m, err := ast.ParseModuleWithOpts("p.rego", src, ast.ParserOptions{ProcessAnnotation: true})
	if err != nil {
		t.Fatal(err)
	}
	meta := &RuleMeta{Name: "mine"}
	if faults := newRuleMeta(meta, m.Annotations[0]); len(faults) > 0 {
		return meta, faults
	}
	return meta, nil
}

func TestRuleMeta(t *testing.T) {
	for _, tc := range []struct {
		reason, custom string
		want           RuleMeta
	}{
		{"a code is enough", `{code: acme.x}`, RuleMeta{Title: "mine", Codes: []string{"acme.x"}, Severity: "block", Fail: "open", Events: []string{"Stop"}, Order: 100}},
		{"everything", `{codes: [acme.x, acme.y], severity: warn, fail: closed, deferrable: true, events: [PreToolUse, Stop], order: 7, brief: "Do {{command}}."}`,
			RuleMeta{Title: "mine", Codes: []string{"acme.x", "acme.y"}, Severity: "warn", Fail: "closed", Deferrable: true, Events: []string{"PreToolUse", "Stop"}, Order: 7, Brief: "Do {{command}}."}},
		{"keys of the author", `{code: acme.x, owner: {team: tools}}`, RuleMeta{Title: "mine", Codes: []string{"acme.x"}, Severity: "block", Fail: "open", Events: []string{"Stop"}, Order: 100}},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			got, err := parseMeta(t, tc.custom)
			if err != nil {
				t.Fatal(err)
			}
			tc.want.Name, tc.want.Description = "mine", "What it is for."
			if diff := cmp.Diff(tc.want, *got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRuleMeta_Faults(t *testing.T) {
	for custom, mention := range map[string]string{
		`{severity: block}`:                   "lack custom.code",
		`{code: ""}`:                          "custom.code: a text",
		`{code: two words}`:                   `"two words" cannot be`,
		`{code: stop-hook.remediation_cap}`:   "cannot be the code",
		`{codes: []}`:                         "custom.codes: a list",
		`{codes: [1]}`:                        "custom.codes: a text",
		`{code: a.b, severity: 3}`:            "3 is none of",
		`{code: a.b, fail: maybe}`:            "maybe is none of",
		`{code: a.b, deferrable: yes please}`: "true or false",
		`{code: a.b, order: first}`:           "a whole number",
		`{code: a.b, order: 1.5}`:             "a whole number",
		`{code: a.b, events: Stop}`:           "a list",
		`{code: a.b, events: [Notification]}`: `"Notification" is no event`,
	} {
		if _, err := parseMeta(t, custom); err == nil || !strings.Contains(err.Error(), mention) {
			t.Errorf("%s: %v lacks %q", custom, err, mention)
		}
	}
}

// TestRuleMeta_BuiltinCodes: the codes of DESIGN section 4 that belong to rules.
func TestRuleMeta_BuiltinCodes(t *testing.T) {
	got := map[string][]string{}
	for _, m := range newEngine(t, EngineOptions{}).Rules() {
		got[m.Name] = m.Codes
		if want := m.Name == "status_check" || m.Name == "status_box"; m.Deferrable != want {
			t.Errorf("PO-3, PO-4: %s: deferrable is %v", m.Name, m.Deferrable)
		}
	}
	want := map[string][]string{
		"status_check": {"stop-hook.status_check_missing"}, "status_box": {"stop-hook.status_box_missing"},
		"task_declared": {"stop-hook.task_undeclared"}, "session_named": {"stop-hook.session_unnamed"},
		"background_debt": {"stop-hook.background_debt"}, "inline_waiter": {"stop-hook.inline_waiter"},
		"background_handoff": {"stop-hook.background_handoff_deferred"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
