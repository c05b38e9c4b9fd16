package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// moveAfter is how long a foreground command must have run before the client moves it
// to deliver a message: 2 s by its own clock (claude-code section 1). It cannot be
// observed from outside, so this is the one wait that is a time.
const moveAfter = 2500 * time.Millisecond

// handsOff lets the commands of the gates run long enough, sends a message that cannot
// wait, and returns the rows of the handoffs that this makes.
func handsOff(s *Stage, r *Run, message string, gates ...*Gate) []gjson.Result {
	s.t.Helper()
	for _, g := range gates {
		g.AwaitRunning()
	}
	pause(s.Ctx, moveAfter)
	r.SayNow(message)
	handoffs := func() []gjson.Result {
		return s.RowsWhere(r.Session(), "type", "user", "toolUseResult.backgroundedToDeliverMessage", "true")
	}
	s.Await("the rows of the handoffs", func() bool { return len(handoffs()) == len(gates) })
	return handoffs()
}

// registry is what the client itself said was running at a stop.
func registry(d Decision) string { return d.Input.Get("hook.background_tasks.#.id").Raw }

// notices are the user rows by which the end of a task began a turn.
func notices(s *Stage, session string) []gjson.Result {
	s.t.Helper()
	return s.RowsWhere(session, "type", "user", "origin.kind", "task-notification")
}

// cutTurn checks how the client ends the turn in which a command was moved: in the
// middle, and without a Stop. The message begins a turn of its own.
func cutTurn(s *Stage, r *Run) {
	s.t.Helper()
	if cut := r.AwaitResult(1); cut.Get("stop_reason").String() != "tool_use" {
		s.t.Errorf("the turn of the handoff ended with %s, want it cut at its tool call", cut.Raw)
	}
}

// The incident: a person writes while a command runs, the client moves it to the
// background, and the agent can do nothing but end its turn. That stop is put off; the
// turn that the notification begins owes the ritual.
func TestClient_handoff(t *testing.T) {
	s := stage(t, Setup{})
	g := s.Gate("push")
	s.Script(
		declares("start it"),
		Says(declared, Text("I push."), Bash(g.Command)),
		Says("second message", Text("I look."), Bash("echo looked")),
		Says("TOOL_RESULT looked", Text("The push still runs.")),
		Says(notified+".*completed", Text("It has ended, I look."), Bash("ls")),
		Says("TOOL_RESULT .*push.gate", Text("The push is through.")),
		checks(feedback("Status check")),
		shows("Pushed."),
	)
	r := s.Stream()
	r.Say("please start it")
	row := handsOff(s, r, "second message: hello", g)[0]
	id := row.Get("toolUseResult.backgroundTaskId").String()
	cutTurn(s, r)
	success(t, r.AwaitResult(2), "The push still runs.")
	session := r.Session()
	count(t, "PO-3: blocks while the command ran", len(feedbacks(s, session)), 0)
	count(t, "messages that the person saw", len(said(r)), 0)

	g.Open()
	success(t, r.AwaitResult(3), "┌─ stophook check")
	exits(t, r)
	facts := s.Verify(session, nil, "defer background_handoff_deferred", "block status_check_missing", "allow pass")
	count(t, "PO-9: blocks in the turn of the notification", len(feedbacks(s, session)), 1)
	count(t, "turns that a notification began", len(notices(s, session)), 1)
	contains(t, "the notification", messageText(notices(s, session)[0].Get("message.content")), "<task-id>"+id+"</task-id>", "<status>completed</status>")

	stops := s.Stops()
	contains(t, "the client's list at the deferred stop", registry(stops[0]), id)
	if left := registry(stops[1]); strings.Contains(left, id) {
		t.Errorf("the client's list after the end still has %s: %s", id, left)
	}
	if got := stops[0].Result.Get("deferrals.0.task_id").String(); got != id {
		t.Errorf("deferred for %q, want %q", got, id)
	}
	contains(t, "scan", facts.Get("handoffs").Raw, id, "closed")
}

// Task and name stay owed while a handoff is open, and nothing else does.
func TestClient_handoffUndeclared(t *testing.T) {
	s := stage(t, Setup{})
	g := s.Gate("push")
	s.Script(
		Says("start it", Text("I push."), Bash(g.Command)),
		Says("second message", Text("I look."), Bash("echo looked")),
		Says("TOOL_RESULT looked", Text("The push still runs.")),
		declares(feedback("Task: .*Session name: ")),
		Says(declared, Text("Declared, and it still runs.")),
		checks(notified+".*completed"),
		shows("Pushed."),
	)
	r := s.Stream()
	r.Say("please start it")
	handsOff(s, r, "second message: hello", g)
	cutTurn(s, r)
	success(t, r.AwaitResult(2), "Declared, and it still runs.")
	g.Open()
	success(t, r.AwaitResult(3), "┌─ stophook check")
	exits(t, r)
	s.Verify(r.Session(), nil, "block task_undeclared", "defer background_handoff_deferred", "allow pass")
	told := feedbacks(s, r.Session())
	count(t, "PO-4: blocks that the agent saw", len(told), 1)
	if strings.Contains(strings.Join(told, "\n"), "Status") {
		t.Errorf("PO-3: status evidence was asked for while the handoff was open: %s", told)
	}
	if check := s.Stops()[1].Input.Get("evidence.status_check"); check.Exists() {
		t.Errorf("PO-5: the deferral invented evidence: %s", check.Raw)
	}
}

// Two commands of one answer are moved by one message. The stop stays put off until
// both have reported.
func TestClient_twoHandoffs(t *testing.T) {
	s := stage(t, Setup{})
	one, two := s.Gate("one"), s.Gate("two")
	s.Script(
		declares("start it"),
		Says(declared, Text("I run two."), Bash(one.Command), Bash(two.Command)),
		Says("second message", Text("I look."), Bash("echo looked")),
		Says("TOOL_RESULT looked", Text("Both still run.")),
		Says(notified+".*completed", Text("One has ended."), Bash("echo first-look")),
		Says("TOOL_RESULT first-look", Text("I wait for the other one.")),
		Says(notified+".*completed", Text("Both have ended."), Bash("echo last-look")),
		Says("TOOL_RESULT last-look", Text("All is done.")),
		checks(feedback("Status check")),
		shows("All done."),
	)
	r := s.Stream()
	r.Say("please start it")
	rows := handsOff(s, r, "second message: hello", one, two)
	cutTurn(s, r)
	success(t, r.AwaitResult(2), "Both still run.")
	one.Open()
	success(t, r.AwaitResult(3), "I wait for the other one.")
	count(t, "blocks while one of them ran", len(feedbacks(s, r.Session())), 0)
	two.Open()
	success(t, r.AwaitResult(4), "┌─ stophook check")
	exits(t, r)

	session := r.Session()
	facts := s.Verify(session, nil, "defer background_handoff_deferred", "defer background_handoff_deferred", "block status_check_missing", "allow pass")
	count(t, "turns that a notification began", len(notices(s, session)), 2)
	stops := s.Stops()
	for i, row := range rows {
		id := row.Get("toolUseResult.backgroundTaskId").String()
		contains(t, "scan", facts.Get("handoffs").Raw, id)
		contains(t, "the client's list at the first stop", registry(stops[0]), id)
		lists, defers := strings.Contains(registry(stops[1]), id), strings.Contains(stops[1].Result.Get("deferrals").Raw, id)
		if lists != defers {
			t.Errorf("handoff %d at the second stop: the client lists it %v, and it defers %v", i+1, lists, defers)
		}
	}
	count(t, "handoffs that put off the first stop", int(stops[0].Result.Get("deferrals.#").Int()), 2)
	count(t, "handoffs that put off the second stop", int(stops[1].Result.Get("deferrals.#").Int()), 1)
}

// The agent itself stops the command that was moved. No notification follows, and the
// only trace is the result of TaskStop: the next stop owes the ritual at once.
func TestClient_handoffStopped(t *testing.T) {
	s := stage(t, Setup{})
	g := s.Gate("push")
	s.Script(
		declares("start it"),
		Says(declared, Text("I push."), Bash(g.Command)),
		Says("second message", Text("I look for the tool."), Use("ToolSearch", map[string]any{"query": "select:TaskStop", "max_results": 1})),
		Reply{When: "TOOL_RESULT .*tool_reference", Say: func(r *Request) []Block {
			return []Block{Text("I stop it."), Use("TaskStop", map[string]any{"task_id": r.TaskID()})}
		}},
		Says("TOOL_RESULT .*Successfully stopped task", Text("It is stopped.")),
		checks(feedback("Status check")),
		shows("Stopped."),
	)
	r := s.Stream()
	r.Say("please start it")
	row := handsOff(s, r, "second message: stop it", g)[0]
	id := row.Get("toolUseResult.backgroundTaskId").String()
	cutTurn(s, r)
	success(t, r.AwaitResult(2), "┌─ stophook check")
	exits(t, r)

	session := r.Session()
	facts := s.Verify(session, nil, "block status_check_missing", "allow pass")
	count(t, "results of TaskStop", len(s.RowsWhere(session, "type", "user", "toolUseResult.task_id", id)), 1)
	count(t, "turns that a notification began", len(notices(s, session)), 0)
	contains(t, "scan", facts.Get("handoffs").Raw, id, "closed")
	if left := registry(s.Stops()[0]); strings.Contains(left, id) {
		t.Errorf("the client's list still has the stopped task: %s", left)
	}
}
