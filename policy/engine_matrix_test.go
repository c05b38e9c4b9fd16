package policy

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A ritualCase is one point of FX-2's matrix.
type ritualCase struct {
	status, box, task, name bool
	tool, git, boxOnProse   bool
	adapter, handoff        string
	count                   int
	endAsked                bool
}

func (c ritualCase) input() map[string]any {
	changes := []change{paid, set("host", "name", c.adapter), set("remediation", "count", c.count),
		set("config", "require_git_finalization", c.git), set("config", "box_on_prose", c.boxOnProse),
		set("turn", "is_tool_turn", c.tool)}
	for key, has := range map[string]bool{"status_check": c.status, "status_box": c.box, "task_declared": c.task, "session_named": c.name} {
		if !has {
			changes = append(changes, without(key))
		}
	}
	if c.endAsked {
		changes = append(changes, set("evidence", "session_end_requested", map[string]any{"at": "2026-10-05T09:00:06Z"}))
	}
	in := testInput(changes...)
	switch c.handoff {
	case "none":
	case "30 minutes":
		handoff("b1", 1800)(in)
	case "a millisecond more":
		handoff("b1", 1800.001)(in)
	default:
		handoff("b1", 95)(in)
		h := in["handoffs"].([]any)[0].(map[string]any)
		if c.handoff == "closed" {
			h["state"] = map[string]any{"any_text": "closed", "ended": "closed"}
		}
		if c.handoff == "absent in the registry" {
			h["registry"] = "absent"
		}
	}
	return in
}

// want is the naive model: the sentences of PO-1 to PO-12 one after the other.
func (c ritualCase) want() Decision {
	var missing, lifted []string
	deferring := c.adapter == "claude-code" && c.handoff != "none" && c.handoff != "closed" && c.handoff != "a millisecond more"
	owe := func(rule string, due, has, deferrable bool) {
		switch {
		case !due || has:
		case deferrable && deferring:
			lifted = append(lifted, rule)
		default:
			missing = append(missing, rule)
		}
	}
	owe("status_check", c.tool, c.status, true)
	owe("status_box", c.tool || c.boxOnProse, c.box, true)
	owe("task_declared", c.tool, c.task, false)
	owe("session_named", c.tool, c.name, false)
	codes := map[string]string{"status_check": "status_check_missing", "status_box": "status_box_missing", "task_declared": "task_undeclared", "session_named": "session_unnamed"}

	d := Decision{Verdict: VerdictAllow, Effects: Effects{Remediation: RemediationClear}}
	switch {
	case len(missing) > 0 && c.count >= 5:
		d.Code = "remediation_cap"
	case len(missing) > 0:
		d.Verdict, d.Code, d.Effects.Remediation = VerdictBlock, codes[missing[0]], RemediationIncrement
	case len(lifted) > 0:
		d.Verdict, d.Code = VerdictDefer, "background_handoff_deferred"
	default:
		d.Code, d.Effects.ReconcileSessionEnd = "pass", c.endAsked
		if !c.tool {
			d.Code = "prose_pass"
		}
	}
	d.Code = "stop-hook." + d.Code
	for _, rule := range []string{"status_check", "status_box", "task_declared", "session_named"} {
		if slices.Contains(missing, rule) || slices.Contains(lifted, rule) {
			d.Demands = append(d.Demands, Demand{Rule: rule, Deferred: slices.Contains(lifted, rule)})
		}
	}
	return d
}

// essence strips what the model does not predict.
func essence(d *Decision) Decision {
	out := Decision{Verdict: d.Verdict, Code: d.Code, Effects: d.Effects}
	for _, m := range d.Demands {
		out.Demands = append(out.Demands, Demand{Rule: m.Rule, Deferred: m.Deferred})
	}
	return out
}

// TestDecide_FX2_RG2 goes through the whole matrix with the compiled form of the
// built-in rules, and through a part of it with their sources, against the model.
func TestDecide_FX2_RG2(t *testing.T) {
	engine := newEngine(t, EngineOptions{})
	sources := newEngine(t, EngineOptions{fromSources: true})
	bools := []bool{false, true}
	n := 0
	for bits := range 1 << 7 {
		bit := func(i int) bool { return bits>>i&1 == 1 }
		for _, adapter := range []string{"claude-code", "codex", "cursor"} {
			for _, h := range []string{"none", "open", "30 minutes", "a millisecond more", "closed", "absent in the registry"} {
				for _, capped := range bools {
					n++
					c := ritualCase{status: bit(0), box: bit(1), task: bit(2), name: bit(3), tool: bit(4), git: bit(5), boxOnProse: bit(6),
						adapter: adapter, handoff: h, endAsked: n%2 == 0, count: n % 5}
					if capped {
						c.count = 5
					}
					if n%7 != 0 {
						checkRitual(t, c, engine, nil)
					} else {
						checkRitual(t, c, engine, sources)
					}
				}
			}
		}
	}
	if n != 4608 {
		t.Errorf("the matrix has %d points", n)
	}
}

func checkRitual(t *testing.T, c ritualCase, engine, sources *Engine) {
	t.Helper()
	in := c.input()
	d, err := engine.Decide(context.Background(), in)
	if err != nil {
		t.Fatalf("%+v: %v", c, err)
	}
	if want, got := c.want(), essence(d); !reflect.DeepEqual(want, got) { // cmp is slow, and this runs often
		t.Fatalf("%+v: (-model +policy)\n%s", c, cmp.Diff(want, got))
	}
	checkReason(t, c, d)
	if sources == nil {
		return
	}
	again, err := sources.Decide(context.Background(), cloned(in))
	if err != nil {
		t.Fatalf("%+v: from sources: %v", c, err)
	}
	if diff := cmp.Diff(d, again); diff != "" {
		t.Fatalf("%+v: (-compiled form +sources)\n%s", c, diff)
	}
}

// checkReason: a block names every demand it makes (D-40) and none that is lifted.
func checkReason(t *testing.T, c ritualCase, d *Decision) {
	t.Helper()
	if d.Verdict != VerdictBlock {
		return
	}
	for _, m := range d.Demands {
		if strings.Contains(d.Reason, m.Text) == m.Deferred {
			t.Fatalf("%+v: %s deferred=%v in reason %q", c, m.Rule, m.Deferred, d.Reason)
		}
		if m.Text == "" || !strings.Contains(fmt.Sprint(m.Text), "/opt/stophook") && m.Code != "stop-hook.status_box_missing" {
			t.Fatalf("%+v: %s does not say which command to run: %q", c, m.Rule, m.Text)
		}
	}
}
