package policy

import (
	"encoding/json"
	"fmt"

	"github.com/open-policy-agent/opa/v1/ast"
)

// DecisionSchema names the form of [Decision].
const DecisionSchema = "stophook.decision/v1"

// The verdicts. On the wire a defer is an allow (DESIGN section 5).
const (
	VerdictAllow = "allow"
	VerdictBlock = "block"
	VerdictDefer = "defer"
)

// What a decision does to the count of consecutive blocks (PO-6, D-38).
const (
	RemediationIncrement = "increment"
	RemediationClear     = "clear"
	RemediationKeep      = "keep"
)

// A Decision is what the policies answered (PO-16). It is a plain value; lists
// are never nil.
type Decision struct {
	Schema        string     `json:"schema"`
	Verdict       string     `json:"verdict"`        // allow, block or defer
	Code          string     `json:"code"`           // that of the first demand when it blocks
	Reason        string     `json:"reason"`         // for the agent; never blank when it blocks
	Demands       []Demand   `json:"demands"`        // all that is missing, also what was lifted or only observed
	Deferrals     []Deferral `json:"deferrals"`      // what lifted demands
	Warnings      []string   `json:"warnings"`       // for the log
	SystemMessage string     `json:"system_message"` // for the person; empty when there is nothing to see
	Effects       Effects    `json:"effects"`        // what the caller has to carry out
}

// A Demand is one thing that is missing at the end of a turn.
type Demand struct {
	Rule       string  `json:"rule"`
	Code       string  `json:"code"`
	Text       string  `json:"text"`       // what is missing and the command that repairs it
	Severity   string  `json:"severity"`   // block, warn or observe
	Deferrable bool    `json:"deferrable"` // the rule lets deferrals lift it
	Deferred   bool    `json:"deferred"`   // and one did
	Layer      int     `json:"layer"`      // rank of the rule's layer, 0 for the built-in one
	Evidence   []int64 `json:"evidence"`   // byte offsets of transcript rows
}

// A Deferral is a reason to put demands off.
type Deferral struct {
	Rule   string `json:"rule"`
	Code   string `json:"code"`
	TaskID string `json:"task_id"`
	Until  string `json:"until"` // RFC 3339; empty when the rule does not say
}

// Effects is what the caller does after it has answered the host.
type Effects struct {
	Remediation         string `json:"remediation"` // increment, clear or keep
	ReconcileSessionEnd bool   `json:"reconcile_session_end"`
	Nudge               bool   `json:"nudge"` // this prompt has had its one nudge now (AC-159)
}

// Document is the decision as JSON-like values, the same as its JSON.
func (d *Decision) Document() map[string]any {
	return map[string]any{
		"schema": d.Schema, "verdict": d.Verdict, "code": d.Code, "reason": d.Reason,
		"demands": list(d.Demands, func(m Demand) any {
			return map[string]any{"rule": m.Rule, "code": m.Code, "text": m.Text, "severity": m.Severity,
				"deferrable": m.Deferrable, "deferred": m.Deferred, "layer": m.Layer,
				"evidence": list(m.Evidence, func(off int64) any { return off })}
		}),
		"deferrals": list(d.Deferrals, func(f Deferral) any {
			return map[string]any{"rule": f.Rule, "code": f.Code, "task_id": f.TaskID, "until": f.Until}
		}),
		"warnings": strings2any(d.Warnings), "system_message": d.SystemMessage,
		"effects": map[string]any{"remediation": d.Effects.Remediation,
			"reconcile_session_end": d.Effects.ReconcileSessionEnd, "nudge": d.Effects.Nudge},
	}
}

// ruleFault is an entry of the Rego document's errors: a rule whose answer has the wrong shape.
type ruleFault struct{ rule, message string }

// decodeDecision reads data.stophook.main.decision. What it does not know it
// refuses: the aggregator is ours, so a wrong shape is a fault in it or in a rule.
func decodeDecision(v ast.Value) (*Decision, []ruleFault, error) {
	d := &Decision{Demands: []Demand{}, Deferrals: []Deferral{}, Warnings: []string{}}
	var faults []ruleFault
	err := fields(v, "decision", func(key string, v *ast.Term) (err error) {
		switch key {
		case "schema":
			return toString(&d.Schema, v)
		case "verdict":
			return toString(&d.Verdict, v)
		case "code":
			return toString(&d.Code, v)
		case "reason":
			return toString(&d.Reason, v)
		case "system_message":
			return toString(&d.SystemMessage, v)
		case "warnings":
			return elements(v, func(e *ast.Term) error {
				d.Warnings = append(d.Warnings, "")
				return toString(&d.Warnings[len(d.Warnings)-1], e)
			})
		case "demands":
			return elements(v, func(e *ast.Term) error { return d.addDemand(e, &faults) })
		case "deferrals":
			return elements(v, d.addDeferral)
		case "effects":
			return d.Effects.decode(v)
		case "errors":
			return elements(v, func(e *ast.Term) error {
				var f ruleFault
				faults = append(faults, f)
				return stringFields(e, map[string]*string{"rule": &faults[len(faults)-1].rule, "message": &faults[len(faults)-1].message})
			})
		}
		return fmt.Errorf("unknown key")
	})
	return d, faults, err
}

func (d *Decision) addDemand(t *ast.Term, faults *[]ruleFault) error {
	m := Demand{Evidence: []int64{}}
	badEvidence := false
	err := fields(t.Value, "demand", func(key string, v *ast.Term) error {
		switch key {
		case "rule":
			return toString(&m.Rule, v)
		case "code":
			return toString(&m.Code, v)
		case "text":
			return toString(&m.Text, v)
		case "severity":
			return toString(&m.Severity, v)
		case "deferrable":
			return toBool(&m.Deferrable, v)
		case "deferred":
			return toBool(&m.Deferred, v)
		case "layer":
			var n int64
			err := toInt(&n, v)
			m.Layer = int(n)
			return err
		case "evidence":
			badEvidence = elements(v, func(e *ast.Term) error {
				m.Evidence = append(m.Evidence, 0)
				return toInt(&m.Evidence[len(m.Evidence)-1], e)
			}) != nil
			return nil
		}
		return fmt.Errorf("unknown key")
	})
	if badEvidence {
		*faults = append(*faults, ruleFault{m.Rule, "evidence of a demand must be a list of whole numbers, the offsets of transcript rows"})
	}
	d.Demands = append(d.Demands, m)
	return err
}

func (d *Decision) addDeferral(t *ast.Term) error {
	var f Deferral
	err := stringFields(t, map[string]*string{"rule": &f.Rule, "code": &f.Code, "task_id": &f.TaskID, "until": &f.Until})
	d.Deferrals = append(d.Deferrals, f)
	return err
}

func (e *Effects) decode(t *ast.Term) error {
	return fields(t.Value, "effects", func(key string, v *ast.Term) error {
		switch key {
		case "remediation":
			return toString(&e.Remediation, v)
		case "reconcile_session_end":
			return toBool(&e.ReconcileSessionEnd, v)
		case "nudge":
			return toBool(&e.Nudge, v)
		}
		return fmt.Errorf("unknown key")
	})
}

func fields(v ast.Value, what string, set func(string, *ast.Term) error) error {
	obj, ok := v.(ast.Object)
	if !ok {
		return fmt.Errorf("%s is no object", what)
	}
	return obj.Iter(func(k, v *ast.Term) error {
		key, _ := k.Value.(ast.String)
		if err := set(string(key), v); err != nil {
			return fmt.Errorf("%s.%s: %w", what, string(key), err)
		}
		return nil
	})
}

func stringFields(t *ast.Term, into map[string]*string) error {
	return fields(t.Value, "entry", func(key string, v *ast.Term) error {
		if p := into[key]; p != nil {
			return toString(p, v)
		}
		return fmt.Errorf("unknown key")
	})
}

func elements(t *ast.Term, each func(*ast.Term) error) error {
	a, ok := t.Value.(*ast.Array)
	if !ok {
		return fmt.Errorf("no list")
	}
	return a.Iter(each)
}

func toString(p *string, t *ast.Term) error {
	s, ok := t.Value.(ast.String)
	if !ok {
		return fmt.Errorf("no string")
	}
	*p = string(s)
	return nil
}

func toBool(p *bool, t *ast.Term) error {
	b, ok := t.Value.(ast.Boolean)
	if !ok {
		return fmt.Errorf("no boolean")
	}
	*p = bool(b)
	return nil
}

func toInt(p *int64, t *ast.Term) error {
	n, ok := t.Value.(ast.Number)
	if !ok {
		return fmt.Errorf("no number")
	}
	i, err := json.Number(n).Int64()
	*p = i
	return err
}
