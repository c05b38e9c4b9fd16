package policy

import "errors"

// The kinds of failure that the policies answer for (D-37).
const (
	FailurePolicy   = "policy_error"         // a policy does not load or cannot be evaluated
	FailureEvidence = "evidence_unavailable" // what the policy would judge cannot be read
)

// A Failure is why no verdict could be reached; [Engine.Fail] turns it into a
// decision. File and Line are empty where none is to blame.
type Failure struct {
	Kind    string // FailurePolicy or FailureEvidence
	Message string
	File    string
	Line    int
}

// FailureOf makes a policy failure out of an error of [NewEngine] or
// [Engine.Decide]. The first fault of [PolicyErrors] gives the place.
func FailureOf(err error) Failure {
	f := Failure{Kind: FailurePolicy, Message: err.Error()}
	if p, ok := errors.AsType[*PolicyError](err); ok {
		f.Message, f.File, f.Line = p.Message, p.File, p.Line
		if p.Hint != "" {
			f.Message += " (" + p.Hint + ")"
		}
	}
	return f
}

// document is the failure as the policies see it, at input.failure.
func (f Failure) document() map[string]any {
	return map[string]any{"kind": f.Kind, "message": f.Message, "file": f.File, "line": f.Line}
}

// Fallback is the last resort for callers, when even [Engine.Fail] fails: let
// the turn end, say so, and touch nothing (CL-2). It is no verdict of a policy.
func Fallback(f Failure) *Decision {
	where := f.Message
	if f.File != "" {
		where = (&PolicyError{File: f.File, Line: f.Line, Message: f.Message}).Error()
	}
	text := "stophook failed, so nothing was checked: " + where
	return &Decision{
		Schema: DecisionSchema, Verdict: VerdictAllow, Code: "stop-hook." + f.Kind,
		Demands: []Demand{}, Deferrals: []Deferral{}, Warnings: []string{text}, SystemMessage: text,
		Effects: Effects{Remediation: RemediationKeep},
	}
}
