package policy

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/open-policy-agent/opa/v1/ast"
)

const decisionDocument = `{
	"schema": "stophook.decision/v1", "verdict": "block", "code": "acme.x", "reason": "do it", "system_message": "", "warnings": ["w"],
	"demands": [{"rule": "r", "code": "acme.x", "text": "do it", "severity": "block", "deferrable": true, "deferred": false, "layer": 2, "evidence": [4711]}],
	"deferrals": [{"rule": "d", "code": "acme.d", "task_id": "b1", "until": ""}],
	"effects": {"remediation": "increment", "reconcile_session_end": false, "nudge": true},
	"errors": [{"rule": "r", "message": "odd"}]
}`

// TestDecision_JSON: the Go type, its JSON and the Rego document are one form.
func TestDecision_JSON(t *testing.T) {
	d, faults, err := decodeDecision(ast.MustParseTerm(decisionDocument).Value)
	if err != nil {
		t.Fatal(err)
	}
	if len(faults) != 1 || faults[0] != (ruleFault{"r", "odd"}) {
		t.Errorf("faults %v", faults)
	}
	b, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	var got, want map[string]any
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(decisionDocument), &want); err != nil {
		t.Fatal(err)
	}
	delete(want, "errors") // they never leave the engine
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDecision_EmptyListsAreLists(t *testing.T) {
	d := decide(t, EngineOptions{}, testInput(paid))
	b, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"schema":"stophook.decision/v1","verdict":"allow","code":"stop-hook.pass","reason":"","demands":[],"deferrals":[],"warnings":[],"system_message":"","effects":{"remediation":"clear","reconcile_session_end":false,"nudge":false}}`
	if string(b) != want {
		t.Errorf("%s", b)
	}
}

func TestDecision_RefusesOtherShapes(t *testing.T) {
	for _, doc := range []string{`"x"`, `{"verdict": 1}`, `{"more": 1}`, `{"warnings": "w"}`, `{"warnings": [1]}`, `{"demands": [1]}`, `{"demands": [{"layer": "x"}]}`,
		`{"demands": [{"more": 1}]}`, `{"demands": [{"deferred": 1}]}`, `{"deferrals": [{"until": 1}]}`, `{"deferrals": [{"more": ""}]}`, `{"effects": {"nudge": "x"}}`, `{"effects": {"more": 1}}`, `{"errors": {}}`} {
		if d, _, err := decodeDecision(ast.MustParseTerm(doc).Value); err == nil {
			t.Errorf("%s gave %+v", doc, d)
		}
	}
}

// The document and the JSON of a decision are one thing written twice.
func TestDecision_DocumentIsItsJSON(t *testing.T) {
	d := Decision{Schema: DecisionSchema, Verdict: VerdictBlock, Code: "c", Reason: "r", SystemMessage: "m", Warnings: []string{"w"},
		Demands:   []Demand{{Rule: "x", Code: "c", Text: "t", Severity: "block", Deferrable: true, Deferred: true, Layer: 2, Evidence: []int64{7}}},
		Deferrals: []Deferral{{Rule: "y", Code: "d", TaskID: "b1", Until: "u"}},
		Effects:   Effects{Remediation: RemediationIncrement, ReconcileSessionEnd: true, Nudge: true}}
	want, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(d.Document())
	if err != nil {
		t.Fatal(err)
	}
	var a, b any
	if json.Unmarshal(want, &a) != nil || json.Unmarshal(got, &b) != nil {
		t.Fatal("a decision is no JSON")
	}
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("JSON (-) and document (+) differ:\n%s", diff)
	}
}
