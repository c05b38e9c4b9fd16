package policy

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func newEngine(t *testing.T, opts EngineOptions) *Engine {
	t.Helper()
	e, err := NewEngine(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func decide(t *testing.T, opts EngineOptions, in map[string]any) *Decision {
	t.Helper()
	opts.Event = inputEvent(in)
	d, err := newEngine(t, opts).Decide(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestDecide_EveryCode reaches each code of DESIGN section 4 on the built-in
// layer, and says what the caller has to do with it.
func TestDecide_EveryCode(t *testing.T) {
	headless := set("host", "mode", "headless")
	closed := setting("status_check", "fail", "closed")
	unreadable := set("evidence", map[string]any{"available": false, "error": "ledger is locked"})
	keep, clear, inc := Effects{Remediation: RemediationKeep}, Effects{Remediation: RemediationClear}, Effects{Remediation: RemediationIncrement}
	for _, tc := range []struct {
		reason  string
		in      map[string]any
		verdict string
		code    string
		effects Effects
		person  string // part of system_message; "" wants none
	}{
		{"everything is there", testInput(paid), VerdictAllow, "pass", clear, ""},
		{"a prose turn owes nothing", testInput(prose), VerdictAllow, "prose_pass", clear, ""},
		{"PO-1: no check", testInput(paid, without("status_check")), VerdictBlock, "status_check_missing", inc, ""},
		{"PO-1: no box", testInput(paid, without("status_box")), VerdictBlock, "status_box_missing", inc, ""},
		{"no task", testInput(paid, without("task_declared")), VerdictBlock, "task_undeclared", inc, ""},
		{"no name", testInput(paid, without("session_named")), VerdictBlock, "session_unnamed", inc, ""},
		{"PO-3, PO-6: a handoff yields", testInput(paid, without("status_check"), handoff("b1", 95)), VerdictDefer, "background_handoff_deferred", clear, ""},
		{"AC-159: one nudge", testInput(paid, headless, task("b1", "make", "/t/b1.output")), VerdictBlock, "background_debt", Effects{Remediation: RemediationIncrement, Nudge: true}, ""},
		{"AC-161: then the notice", testInput(paid, headless, task("b1", "make", "/t/b1.output"), set("debt", "nudged", true)), VerdictAllow, "pass", clear, "1 background task was never collected"},
		{"nudge beside the ritual", testInput(headless, task("b1", "make", "/t/b1.output")), VerdictBlock, "status_check_missing", Effects{Remediation: RemediationIncrement, Nudge: true}, ""},
		{"interactive sessions are woken", testInput(paid, task("b1", "make", "/t/b1.output")), VerdictAllow, "pass", clear, ""},
		{"D-38: the sixth stop passes", testInput(set("remediation", "count", 5)), VerdictAllow, "remediation_cap", clear, "Status check, Status box, Task declaration, Session name"},
		{"D-37: evidence unreadable", testInput(unreadable), VerdictAllow, "evidence_unavailable", keep, "ledger is locked"},
		{"fail closed", testInput(unreadable, closed), VerdictBlock, "evidence_unavailable", inc, ""},
		{"fail closed is capped too", testInput(unreadable, closed, set("remediation", "count", 5)), VerdictAllow, "remediation_cap", clear, "ledger is locked"},
		{"fail closed of a rule that only warns", testInput(unreadable, closed, setting("status_check", "severity", "warn")), VerdictAllow, "evidence_unavailable", keep, "ledger is locked"},
		{"bypass", testInput(set("self", "bypass", true)), VerdictAllow, "bypass", clear, "bypassed"},
		{"bypass before a tool is silent", testInput(event("PreToolUse"), set("self", "bypass", true)), VerdictAllow, "bypass", keep, ""},
		{"a subagent", testInput(event("SubagentStop")), VerdictAllow, "not_main_thread", keep, ""},
		{"no gate at API failures", testInput(event("StopFailure")), VerdictAllow, "host_cannot_block", keep, ""},
		{"the last row is an API error", testInput(set("turn", "api_error", true)), VerdictAllow, "host_cannot_block", clear, ""},
		{"a host without a gate", testInput(set("host", "can_block", false)), VerdictAllow, "host_cannot_block", clear, ""},
		{"another event", testInput(event("SessionStart")), VerdictAllow, "pass", keep, ""},
		{"a shadow changes nothing", testInput(set("self", "shadow", true)), VerdictBlock, "status_check_missing", keep, ""},
		{"PO-14: an inline waiter", testInput(shellCall("Bash", "sleep_loop")), VerdictBlock, "inline_waiter", keep, ""},
		{"a guard never owes the ritual", testInput(shellCall("Bash")), VerdictAllow, "pass", keep, ""},
		{"warn tells the person", testInput(shellCall("Bash", "watch"), setting("inline_waiter", "severity", "warn")), VerdictAllow, "pass", keep, "Do not wait"},
		{"observe tells nobody", testInput(shellCall("Bash", "watch"), setting("inline_waiter", "severity", "observe")), VerdictAllow, "pass", keep, ""},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			d := decide(t, EngineOptions{}, tc.in)
			got := []any{d.Verdict, d.Code, d.Effects}
			if diff := cmp.Diff([]any{tc.verdict, "stop-hook." + tc.code, tc.effects}, got); diff != "" {
				t.Error(diff)
			}
			if (tc.person == "") != (d.SystemMessage == "") || !strings.Contains(d.SystemMessage, tc.person) {
				t.Errorf("system message %q lacks %q", d.SystemMessage, tc.person)
			}
			if (d.Verdict == VerdictBlock) != (strings.TrimSpace(d.Reason) != "") && d.Verdict != VerdictDefer {
				t.Errorf("verdict %s with reason %q", d.Verdict, d.Reason)
			}
			if d.Schema != DecisionSchema {
				t.Errorf("schema %q", d.Schema)
			}
		})
	}
}

// TestDecide_D38_CapArithmetic plays stops one after the other, with the count
// kept as the effects say: five blocks, then one that passes, then a new cycle.
func TestDecide_D38_CapArithmetic(t *testing.T) {
	e := newEngine(t, EngineOptions{})
	for _, limit := range []int{1, 5, 7, 50} {
		count, blocks := 0, 0
		for range 20 {
			d, err := e.Decide(context.Background(), testInput(set("remediation", map[string]any{"count": count, "cap": limit})))
			if err != nil {
				t.Fatal(err)
			}
			switch d.Effects.Remediation {
			case RemediationIncrement:
				count++
				blocks++
			case RemediationClear:
				if want := min(limit, 7); blocks != want {
					t.Fatalf("cap %d: passed after %d blocks, want %d", limit, blocks, want)
				}
				count, blocks = 0, 0
			}
		}
	}
}

// TestDecide_FX6 is the observed incident: five bounces during a commit of 95
// seconds. Now it is one deferred stop, and the turn after it owes all again (PO-9).
func TestDecide_FX6(t *testing.T) {
	owing := []change{paid, without("status_check"), without("status_box")}
	during := decide(t, EngineOptions{}, testInput(append(owing, handoff("bcommit", 12))...))
	if during.Verdict != VerdictDefer || during.Effects.Remediation != RemediationClear {
		t.Errorf("during the commit: %+v", during)
	}
	if diff := cmp.Diff([]Deferral{{Rule: "background_handoff", Code: "stop-hook.background_handoff_deferred", TaskID: "bcommit", Until: "2026-10-05T09:29:07Z"}}, during.Deferrals); diff != "" {
		t.Error(diff)
	}
	if after := decide(t, EngineOptions{}, testInput(owing...)); after.Code != "stop-hook.status_check_missing" {
		t.Errorf("after the notification: %+v", after)
	}
}

func TestDecide_IncompleteInputIsNoVerdict_RG1(t *testing.T) {
	e := newEngine(t, EngineOptions{})
	for _, missing := range [][]string{{"self", "command"}, {"turn", "is_tool_turn"}, {"turn"}, {"config", "rules"}, {"config"}, {"remediation", "count"}, {"config", "closing"}} {
		d, err := e.Decide(context.Background(), testInput(unset(missing...)))
		if p, ok := errors.AsType[*PolicyError](err); !ok || !strings.Contains(p.Message, "the input document lacks "+missing[0]) {
			t.Errorf("without %v: %+v, %v", missing, d, err)
		}
	}
	if d := decide(t, EngineOptions{}, testInput(paid, unset("evidence", "available"))); d.Code != "stop-hook.evidence_unavailable" {
		t.Errorf("evidence that nobody vouches for: %+v", d)
	}
}

func TestDecide_WrongEvent(t *testing.T) {
	_, err := newEngine(t, EngineOptions{Event: "PreToolUse"}).Decide(context.Background(), testInput())
	if !errors.Is(err, ErrEvent) {
		t.Errorf("got %v", err)
	}
}

// TestDecide_Concurrent: one engine serves many, and the input stays as it was.
func TestDecide_Concurrent(t *testing.T) {
	defer goleak.VerifyNone(t)
	e := newEngine(t, EngineOptions{})
	in := testInput(paid, without("status_box"), handoff("b1", 1))
	before := cloned(in)
	want, err := e.Decide(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 20 {
				if d, err := e.Decide(context.Background(), in); err != nil || !cmp.Equal(d, want) {
					t.Errorf("%v %v", err, cmp.Diff(want, d))
				}
			}
		})
	}
	wg.Wait()
	if diff := cmp.Diff(before, cloned(in)); diff != "" {
		t.Error(diff)
	}
}

func TestRules_OrderAndBrief(t *testing.T) {
	var names []string
	for _, m := range newEngine(t, EngineOptions{Event: "PreToolUse"}).Rules() {
		names = append(names, m.Name)
		if m.Title == "" || m.Description == "" || m.Layer != 0 || m.LayerName != LayerBuiltin || m.Line == 0 {
			t.Errorf("%+v", m)
		}
		if m.Brief != "" && strings.HasPrefix(m.Name, "status_check") && !strings.Contains(m.Brief, "{{command}}") {
			t.Errorf("%s: brief without the command: %q", m.Name, m.Brief)
		}
	}
	want := []string{"background_handoff", "inline_waiter", "status_check", "status_box", "task_declared", "session_named", "background_debt"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
}
