package e2e

import (
	"strings"
	"testing"
)

// A turn of words owes nothing, and a turn that did the ritual passes: nobody is told
// anything, and the agent is asked nothing more.
func TestClient_plainPass(t *testing.T) {
	s := stage(t, Setup{Script: []Reply{
		Says("hello", Text("Hello to you.")),
		declares("start it"),
		checks(declared),
		shows("All is done."),
	}})
	r := s.Stream()
	r.Say("hello")
	success(t, r.AwaitResult(1), "Hello to you.")
	r.Say("please start it")
	result := r.AwaitResult(2)
	success(t, result, "All is done.")
	contains(t, "the answer", result.Get("result").String(), "┌─ stophook check", r.Session(), "push it")
	exits(t, r)

	session := r.Session()
	facts := s.Verify(session, nil, "allow prose_pass", "allow pass")
	count(t, "stop hooks that the client ran", summaries(s, session), 2)
	count(t, "blocks that the agent saw", len(feedbacks(s, session)), 0)
	count(t, "messages that the person saw", len(said(r)), 0)
	count(t, "requests of the agent", len(s.API.Requests()), 4)
	// SessionStart told the ritual before it could be owed.
	contains(t, "the first request", string(s.API.Requests()[0].Body), "stophook status --end-turn", "stophook task")
	if facts.Get("turn.is_tool_turn").Bool() != true || facts.Get("tasks.#").Int() != 0 {
		t.Errorf("scan: %s", facts.Raw)
	}
}

// The block reaches the agent, the agent repairs it with the command that it was told,
// and the next stop passes.
func TestClient_blockAndRepair(t *testing.T) {
	s := stage(t, Setup{Script: []Reply{
		declares("start it"),
		Says(declared, Text("All is pushed.")),
		checks(feedback("Status check: .*Run .stophook status --end-turn")),
		shows("Checked and done."),
	}})
	r := s.Print("please start it")
	exits(t, r)
	success(t, r.AwaitResult(1), "┌─ stophook check")

	session := r.Session()
	s.Verify(session, nil, "block status_check_missing", "allow pass")
	told := feedbacks(s, session)
	count(t, "blocks that the agent saw", len(told), 1)
	contains(t, "PO-1: the block", strings.Join(told, "\n"), "This turn cannot end yet:", "- Status check:", "- Status box:")
	count(t, "hook_blocking_error rows", len(s.RowsWhere(session, "attachment.type", "hook_blocking_error", "attachment.hookEvent", "Stop")), 1)
	count(t, "stop hooks that the client ran", summaries(s, session), 2)
	stops := s.Stops()
	if stops[0].Input.Get("hook.stop_hook_active").Bool() || !stops[1].Input.Get("hook.stop_hook_active").Bool() {
		t.Errorf("stop_hook_active was %s, then %s, want false, then true", stops[0].Input.Get("hook.stop_hook_active"), stops[1].Input.Get("hook.stop_hook_active"))
	}
	// The box that the agent shows is the one that its check printed.
	id, _, _ := strings.Cut(strings.SplitAfter(r.AwaitResult(1).Get("result").String(), "stophook check ")[1], " ")
	contains(t, "the ledger's check", stops[1].Input.Get("evidence").Raw, id)
}
