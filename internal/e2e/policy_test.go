package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A rule that does not compile blocks nobody, and never in silence: the person sees the
// file and the line at the end of the turn.
func TestClient_brokenPolicy(t *testing.T) {
	s := stage(t, Setup{
		Policies: map[string]string{"acme/acme.rego": "package stophook.rules.acme\n\ndemand contains {\"text\": 1 +} if true\n"},
		Script: []Reply{
			Says("start it", Text("I look."), Bash("echo looked")),
			Says("TOOL_RESULT looked", Text("Done without any ritual.")),
		},
	})
	r := s.Stream()
	r.Say("please start it")
	success(t, r.AwaitResult(1), "Done without any ritual.")
	exits(t, r)
	session := r.Session()
	count(t, "blocks that the agent saw", len(feedbacks(s, session)), 0)
	messages := strings.Join(said(r), "\n")
	contains(t, "CL-2: the message that the person saw", messages, "nothing was checked", filepath.Join("acme", "acme.rego")+":3", "rego_parse_error", "stophook check")
	var stops []string
	for _, d := range s.Stops() {
		stops = append(stops, verdictLine(d.Verdict, d.Code))
	}
	if strings.Join(stops, ", ") != "allow policy_error" {
		t.Errorf("stops %q, want one allow policy_error", stops)
	}
	s.Must("scan", s.Transcript(session))
	// Policies that do not load cannot be replayed either, and that names the line, too.
	if out, errs, err := s.Stophook("replay", s.Transcript(session)); err == nil || !strings.Contains(errs, "acme.rego:3") {
		t.Errorf("replay: %v\n%s%s", err, out, errs)
	}
}

// A loop that waits inside a shell command is not run; the agent reads why.
func TestClient_waiterGuard(t *testing.T) {
	s := stage(t, Setup{Script: []Reply{
		declares("start it"),
		Says(declared, Text("I wait."), Bash("touch begun; while [ ! -e done.txt ]; do sleep 1; done")),
		Says("TOOL_RESULT .*Do not wait for background work inside a shell command", Text("I check."), Bash("stophook status --end-turn")),
		shows("I do not wait."),
	}})
	r := s.Print("please start it")
	exits(t, r)
	success(t, r.AwaitResult(1), "I do not wait.")
	session := r.Session()
	s.Verify(session, nil, "allow pass")

	var denied []string
	for _, row := range s.RowsWhere(session, "type", "user", "message.content.0.is_error", "true") {
		denied = append(denied, messageText(row.Get("message.content")))
	}
	count(t, "PO-14: calls that failed", len(denied), 1)
	contains(t, "the denial", strings.Join(denied, "\n"), "This command was not run:", "sleep 1", "TaskOutput")
	if _, err := os.Stat(filepath.Join(s.Project, "begun")); err == nil {
		t.Error("the loop was run all the same")
	}
	var codes []string
	for _, d := range s.Decisions() {
		if d.Event == "PreToolUse" && d.Verdict != "allow" {
			codes = append(codes, verdictLine(d.Verdict, d.Code))
		}
	}
	if strings.Join(codes, ", ") != "block inline_waiter" {
		t.Errorf("PreToolUse decisions %q, want one block inline_waiter", codes)
	}
}
