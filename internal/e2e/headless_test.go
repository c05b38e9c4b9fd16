package e2e

import (
	"strings"
	"testing"
)

// A headless run wants to end while background work runs that nobody collected: one
// nudge, and when that changes nothing a notice for the person. (The client then waits
// for the task by itself, and begins one more turn with its notification.)
func TestClient_backgroundDebt(t *testing.T) {
	s := stage(t, Setup{})
	g := s.Gate("sweep")
	s.Script(
		declares("start it"),
		Says(declared, Text("I start it."), BackgroundBash(g.Command)),
		checks("TOOL_RESULT .*background with ID"),
		shows("It runs, I will report."),
		checks(feedback("Background work: nothing resumes this turn")),
		shows("I leave it running."),
		Says(notified+".*completed", Text("It has ended.")),
	)
	r := s.Print("please start it")
	success(t, r.AwaitResult(1), "I leave it running.")
	session := r.Session()
	g.Open()
	exits(t, r)
	success(t, r.AwaitResult(2), "It has ended.")

	s.Verify(session, nil, "block background_debt", "allow pass", "allow prose_pass")
	stops := s.Stops()
	task := stops[0].Input.Get("debt.owed.0").String()
	contains(t, "the client's list at the nudge", registry(stops[0]), task)
	contains(t, "the client's list at the notice", registry(stops[1]), task)
	told := feedbacks(s, session)
	count(t, "AC-160: nudges", len(told), 1)
	contains(t, "AC-160: the nudge", strings.Join(told, "\n"), task, g.Command, ".output", "TaskOutput")
	messages := said(r)
	if len(messages) == 0 {
		t.Fatal("the person saw no notice")
	}
	contains(t, "AC-161: the notice", messages[0], "1 background task was never collected", task, g.Command)
}

// Every block of one prompt counts, whatever the agent does in between, and the stop
// after the cap passes with a message. The client's own cap would not: its count starts
// anew with every use of a tool. The next prompt begins a new count.
func TestClient_remediationCap(t *testing.T) {
	s := stage(t, Setup{Config: "remediation_cap: 3\n", Script: []Reply{
		declares("start it"),
		Always(declared, Text("All is done.")),
		Always(feedback(""), Text("I do something else."), Bash("echo busy")),
		Always("TOOL_RESULT busy", Text("Still done.")),
		Says("go on", Text("I go on."), Bash("echo more")),
		Says("TOOL_RESULT more", Text("More is done.")),
	}})
	r := s.Stream()
	r.Say("please start it")
	success(t, r.AwaitResult(1), "Still done.")
	count(t, "D-38: blocks of the first turn", len(feedbacks(s, r.Session())), 3)
	r.Say("go on")
	success(t, r.AwaitResult(2), "Still done.")
	exits(t, r)

	const block = "block status_check_missing"
	s.Verify(r.Session(), nil, block, block, block, "allow remediation_cap", block, block, block, "allow remediation_cap")
	messages := said(r)
	count(t, "messages that the person saw", len(messages), 2)
	contains(t, "the message", strings.Join(messages, "\n"), "after 3 blocked stops in a row", "Still missing: Status check, Status box.")
}

// In shadow mode all is judged and logged, and the client sees nothing of it.
func TestClient_shadow(t *testing.T) {
	s := stage(t, Setup{Install: func(s *Stage) { s.Install("--profile", "observe") }, Script: []Reply{
		Says("start it", Text("I look."), Bash("echo looked")),
		Says("TOOL_RESULT looked", Text("I wait in the shell."), Bash("while [ ! -e never ]; do sleep 0.01; touch never; done; echo waited")),
		Says("TOOL_RESULT waited", Text("Done without any ritual.")),
	}})
	r := s.Print("please start it")
	exits(t, r)
	success(t, r.AwaitResult(1), "Done without any ritual.")
	session := r.Session()
	s.Verify(session, nil, "block status_check_missing")
	count(t, "blocks that the agent saw", len(feedbacks(s, session)), 0)
	count(t, "messages that the person saw", len(said(r)), 0)
	if strings.Contains(string(s.API.Requests()[0].Body), "stophook") {
		t.Error("the agent was told of stophook in shadow mode")
	}
	var waits int
	for _, d := range s.Decisions() {
		if !d.Shadow {
			t.Errorf("not logged as shadow: %s", decisionText(d))
		}
		if d.Event == "PreToolUse" && d.Verdict == "block" {
			waits++
		}
	}
	count(t, "loops that would have been denied", waits, 1)
}
