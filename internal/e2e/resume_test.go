package e2e

import (
	"strings"
	"testing"
)

// The client is killed while a handoff is open. When the session goes on, the client
// itself says that the task has stopped, and the ritual is owed again.
func TestClient_resumeAfterKill(t *testing.T) {
	s := stage(t, Setup{})
	g := s.Gate("push")
	s.Script(
		declares("start it"),
		Says(declared, Text("I push."), Bash(g.Command)),
		Says("second message", Text("I look."), Bash("echo looked")),
		Says("TOOL_RESULT looked", Text("The push still runs.")),
		Says("go on", Text("I go on."), Bash("echo again")),
		Says("TOOL_RESULT again", Text("Pushed?")),
		checks(feedback("Status check")),
		shows("Checked."),
	)
	first := s.Stream()
	first.Say("please start it")
	id := handsOff(s, first, "second message: hello", g)[0].Get("toolUseResult.backgroundTaskId").String()
	success(t, first.AwaitResult(2), "The push still runs.")
	session := first.Session()
	first.Kill()
	g.Open()

	r := s.Print("please go on", "--continue")
	exits(t, r)
	success(t, r.AwaitResult(2), "┌─ stophook check") // the first one is the notice, which begins no turn of the model
	if r.Session() != session {
		t.Errorf("the session went on as %s, it was %s", r.Session(), session)
	}
	facts := s.Verify(session, nil, "defer background_handoff_deferred", "block status_check_missing", "allow pass")
	ends := notices(s, session)
	count(t, "notices of the end", len(ends), 1)
	contains(t, "the notice", messageText(ends[0].Get("message.content")), "<task-id>"+id+"</task-id>", "<status>stopped</status>")
	contains(t, "scan", facts.Get("handoffs").Raw, id, "closed")
	contains(t, "the client's list at the deferred stop", registry(s.Stops()[0]), id)
	if left := registry(s.Stops()[1]); strings.Contains(left, id) {
		t.Errorf("the client's list after the resume has %s: %s", id, left)
	}
}
