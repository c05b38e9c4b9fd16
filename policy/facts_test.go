package policy

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/stophook/stophook/policy/evidence"
	"github.com/stophook/stophook/transcript"
)

// sec is an instant of a test's session, in seconds from its start.
func sec(n float64) time.Time {
	return time.Date(2026, 10, 5, 9, 0, 0, 0, time.UTC).Add(time.Duration(n * float64(time.Second)))
}

func logOf(events ...evidence.Event) evidence.Log { return evidence.Log{Events: events} }

func filed(kind evidence.Kind, at float64) evidence.Event {
	return evidence.Event{Kind: kind, TS: sec(at), CheckID: "k3f9a1b2", Text: string(kind)}
}

// call is a foreground shell call from one instant to another.
func call(from, to float64) transcript.ToolCall {
	return transcript.ToolCall{Name: "Bash", Command: "make", At: transcript.Position{Time: sec(from)}, ResultTime: sec(to)}
}

func calls(list ...transcript.ToolCall) transcript.Turn {
	return transcript.Turn{Complete: true, StartedAt: transcript.Position{UUID: "u1", Time: sec(10)}, PromptUUID: "u1", PromptAt: sec(10), Tools: list}
}

func changed(c transcript.ToolCall, f func(*transcript.ToolCall)) transcript.ToolCall {
	f(&c)
	return c
}

func TestProveTurn_PO1_StatusCheck(t *testing.T) {
	const none, stale, good = "none", "stale", "good"
	cut := transcript.Turn{Tools: []transcript.ToolCall{call(20, 21)}}
	for _, tt := range []struct {
		reason string
		log    evidence.Log
		turn   transcript.Turn
		want   string
	}{
		{"nothing was filed", logOf(), calls(call(20, 21)), none},
		{"looking is no check", logOf(filed(evidence.StatusObserved, 30)), calls(call(20, 21)), none},
		{"after the last call", logOf(filed(evidence.EndTurnChecked, 30)), calls(call(20, 21)), good},
		{"at the very instant at which the last call ended", logOf(filed(evidence.EndTurnChecked, 21)), calls(call(20, 21)), good},
		{"before the last call", logOf(filed(evidence.EndTurnChecked, 30)), calls(call(20, 21), call(31, 32)), stale},
		{"a check of an earlier turn", logOf(filed(evidence.EndTurnChecked, 9)), calls(call(20, 21)), none},
		{"the turn's own beginning counts in", logOf(filed(evidence.EndTurnChecked, 10)), calls(), good},
		{"the check's own call ended behind it", logOf(filed(evidence.EndTurnChecked, 30)),
			calls(call(20, 21), changed(call(29, 31), func(c *transcript.ToolCall) { c.Evidence = "status" })), good},
		{"a later task or name command is evidence too, no work", logOf(filed(evidence.EndTurnChecked, 30)),
			calls(changed(call(40, 41), func(c *transcript.ToolCall) { c.Evidence = "name" })), good},
		{"a script that ends in the check spans it", logOf(filed(evidence.EndTurnChecked, 30)), calls(call(25, 31)), good},
		{"a call in the background spans nothing", logOf(filed(evidence.EndTurnChecked, 30)),
			calls(changed(call(25, 31), func(c *transcript.ToolCall) { c.Background = true })), stale},
		{"an edit that was under way is work", logOf(filed(evidence.EndTurnChecked, 30)),
			calls(changed(call(25, 31), func(c *transcript.ToolCall) { c.Name, c.Command = "Edit", "" })), stale},
		{"a call without a result is as old as its row", logOf(filed(evidence.EndTurnChecked, 30)),
			calls(changed(call(35, 0), func(c *transcript.ToolCall) { c.ResultTime = time.Time{} })), stale},
		{"and such a call before the check is done with", logOf(filed(evidence.EndTurnChecked, 30)),
			calls(changed(call(25, 0), func(c *transcript.ToolCall) { c.ResultTime = time.Time{} })), good},
		{"the check was made again", logOf(filed(evidence.EndTurnChecked, 15), filed(evidence.EndTurnChecked, 30)), calls(call(20, 21)), good},
		{"window cut: the prompt that our hook noted begins the turn", logOf(filed(evidence.EndTurnChecked, 12), filed(evidence.PromptSubmitted, 15)), cut, none},
		{"window cut: a check behind that prompt", logOf(filed(evidence.PromptSubmitted, 15), filed(evidence.EndTurnChecked, 22)), cut, good},
		{"window cut and no prompt noted: the order against the calls decides", logOf(filed(evidence.EndTurnChecked, 22)), cut, good},
		{"the same, with a check before a call in sight", logOf(filed(evidence.EndTurnChecked, 12)), cut, stale},
	} {
		f := proveTurn(tt.log, tt.turn, TaskScopeSession)
		got := none
		switch {
		case f.check != nil && f.stale != nil:
			got = "both"
		case f.check != nil:
			got = good
		case f.stale != nil:
			got = stale
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.reason, got, tt.want)
		}
	}
}

func TestProveTurn_PO1_BoxNeedsTheIDOfThisCheck(t *testing.T) {
	box := func(id, source string) transcript.Box { return transcript.Box{CheckID: id, Source: source} }
	for _, tt := range []struct {
		reason string
		log    evidence.Log
		boxes  []transcript.Box
		want   string // source of the box that counts
	}{
		{"no box", logOf(filed(evidence.EndTurnChecked, 30)), nil, ""},
		{"the box of the check", logOf(filed(evidence.EndTurnChecked, 30)), []transcript.Box{box("k3f9a1b2", "transcript")}, "transcript"},
		{"the later of two", logOf(filed(evidence.EndTurnChecked, 30)), []transcript.Box{box("k3f9a1b2", "transcript"), box("k3f9a1b2", "final_text")}, "final_text"},
		{"another check's box", logOf(filed(evidence.EndTurnChecked, 30)), []transcript.Box{box("zzzzzzzz", "final_text")}, ""},
		{"a box without a check proves nothing", logOf(), []transcript.Box{box("k3f9a1b2", "final_text")}, ""},
		{"nor does one of a check that a call outdated", logOf(filed(evidence.EndTurnChecked, 15)), []transcript.Box{box("k3f9a1b2", "final_text")}, ""},
		{"a ledger line without an id matches no box", logOf(evidence.Event{Kind: evidence.EndTurnChecked, TS: sec(30)}), []transcript.Box{box("", "final_text")}, ""},
	} {
		turn := calls(call(20, 21))
		turn.Boxes = tt.boxes
		got := ""
		if b := proveTurn(tt.log, turn, TaskScopeSession).box; b != nil {
			got = b.Source
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.reason, got, tt.want)
		}
	}
}

func TestProveTurn_PO4_TaskAndName(t *testing.T) {
	woken := transcript.Turn{Complete: true, Origin: "notification", StartedAt: transcript.Position{UUID: "n1", Time: sec(50)}, PromptUUID: "u1", PromptAt: sec(10)}
	for _, tt := range []struct {
		reason     string
		log        evidence.Log
		turn       transcript.Turn
		scope      string
		task, name bool
	}{
		{"once a session is enough", logOf(filed(evidence.TaskDeclared, 1), filed(evidence.SessionNamed, 1)), calls(), TaskScopeSession, true, true},
		{"scope turn: of an earlier prompt", logOf(filed(evidence.TaskDeclared, 1), filed(evidence.SessionNamed, 1)), calls(), TaskScopeTurn, false, true},
		{"scope turn: of this prompt", logOf(filed(evidence.TaskDeclared, 11)), calls(), TaskScopeTurn, true, false},
		{"scope turn: a notification is no new prompt", logOf(filed(evidence.TaskDeclared, 11)), woken, TaskScopeTurn, true, false},
		{"scope turn: window cut, the noted prompt counts", logOf(filed(evidence.TaskDeclared, 1), filed(evidence.PromptSubmitted, 10)), transcript.Turn{}, TaskScopeTurn, false, false},
		{"nothing filed", logOf(), calls(), TaskScopeSession, false, false},
	} {
		f := proveTurn(tt.log, tt.turn, tt.scope)
		if (f.task != nil) != tt.task || (f.name != nil) != tt.name {
			t.Errorf("%s: task %t, name %t, want %t, %t", tt.reason, f.task != nil, f.name != nil, tt.task, tt.name)
		}
	}
}

func TestProveTurn_PO7_SessionEnd(t *testing.T) {
	for _, tt := range []struct {
		reason string
		log    evidence.Log
		want   bool
	}{
		{"not asked for", logOf(), false},
		{"asked for in any turn", logOf(filed(evidence.SessionEndRequested, 1)), true},
		{"carried out", logOf(filed(evidence.SessionEndRequested, 1), filed(evidence.SessionEnded, 2)), false},
		{"carried out in the same instant", logOf(filed(evidence.SessionEndRequested, 1), filed(evidence.SessionEnded, 1)), false},
		{"asked for again", logOf(filed(evidence.SessionEnded, 2), filed(evidence.SessionEndRequested, 3)), true},
	} {
		if got := proveTurn(tt.log, calls(), TaskScopeSession).endRequest != nil; got != tt.want {
			t.Errorf("%s: %t, want %t", tt.reason, got, tt.want)
		}
	}
}

// TestProveTurn_Model compares the check with its definition, said once more and
// naively: the latest check of the turn, and no work that ended behind it, where a
// foreground shell call that was running at that instant is the check's own.
func TestProveTurn_Model(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		instant := rapid.Float64Range(0, 40)
		var turn transcript.Turn
		for range rapid.IntRange(0, 5).Draw(t, "calls") {
			from := instant.Draw(t, "from")
			c := call(from, from+rapid.Float64Range(0, 10).Draw(t, "takes"))
			c.Background = rapid.Bool().Draw(t, "background")
			if rapid.Bool().Draw(t, "edit") {
				c.Name, c.Command = "Edit", ""
			}
			if rapid.IntRange(0, 3).Draw(t, "evidence") == 0 {
				c.Evidence = "status"
			}
			turn.Tools = append(turn.Tools, c)
		}
		turn.Complete, turn.StartedAt.Time = true, sec(10)
		var log evidence.Log
		for range rapid.IntRange(0, 3).Draw(t, "checks") {
			log.Events = append(log.Events, filed(evidence.EndTurnChecked, instant.Draw(t, "check")))
		}
		var latest *evidence.Event
		for i, e := range log.Events {
			if !e.TS.Before(sec(10)) {
				latest = &log.Events[i]
			}
		}
		outdated := false
		for _, c := range turn.Tools {
			own := c.Command != "" && !c.Background && latest != nil && !latest.TS.Before(c.At.Time) && !latest.TS.After(c.ResultTime)
			if latest != nil && c.Evidence == "" && !own && c.ResultTime.After(latest.TS) {
				outdated = true
			}
		}
		f := proveTurn(log, turn, TaskScopeSession)
		if (f.check != nil) != (latest != nil && !outdated) || (f.stale != nil) != (latest != nil && outdated) {
			t.Errorf("check %v, stale %v; the model has %v, outdated %t", f.check, f.stale, latest, outdated)
		}
	})
}

// A second shell call that runs beside the recognised check is no carrier of it:
// what it does may come after the check.
func TestProveTurn_PO1_parallelCall(t *testing.T) {
	start := time.Date(2026, 10, 5, 9, 0, 0, 0, time.UTC)
	at := func(s int) time.Time { return start.Add(time.Duration(s) * time.Second) }
	span := func(id, command, evidence string, from, to int) transcript.ToolCall {
		return transcript.ToolCall{ID: id, Name: "Bash", Command: command, Evidence: evidence, At: transcript.Position{Time: at(from)}, ResultTime: at(to)}
	}
	check := evidence.Log{Events: []evidence.Event{{Kind: evidence.EndTurnChecked, CheckID: "abcd1234", TS: at(5)}}}
	for _, tc := range []struct {
		reason string
		tools  []transcript.ToolCall
		want   bool
	}{
		{"a script that made the check", []transcript.ToolCall{span("a", "./finish.sh", "", 1, 6)}, true},
		{"the recognised check alone", []transcript.ToolCall{span("a", "stophook status --end-turn", "status", 4, 6)}, true},
		{"work beside the recognised check", []transcript.ToolCall{span("a", "make", "", 1, 9), span("b", "stophook status --end-turn", "status", 4, 6)}, false},
		{"work that ended before it", []transcript.ToolCall{span("a", "make", "", 1, 3), span("b", "stophook status --end-turn", "status", 4, 6)}, true},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			turn := transcript.Turn{StartedAt: transcript.Position{Time: start}, Complete: true, Tools: tc.tools}
			if got := proveTurn(check, turn, TaskScopeSession).check != nil; got != tc.want {
				t.Errorf("evidence: got %v, want %v", got, tc.want)
			}
		})
	}
}
