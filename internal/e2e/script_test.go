package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// What the scripted agent does again and again.

// declares is the agent that says its task and its name.
func declares(when string) Reply {
	return Says(when, Text("I say what I do."), Bash(`stophook task "push it"`), Bash("stophook name pusher"))
}

// declared is found in the result of declares.
const declared = "TOOL_RESULT task: push it"

// checks is the agent that runs the status check.
func checks(when string) Reply {
	return Says(when, Text("I check."), Bash("stophook status --end-turn"))
}

// shows is the agent that shows the box of the check that it ran.
func shows(words string) Reply {
	return Reply{When: "TOOL_RESULT ┌─ stophook check", Say: func(r *Request) []Block {
		return []Block{Text(words + "\n\n" + r.Box())}
	}}
}

// feedback is found in what a block of ours tells the agent.
func feedback(text string) string { return "Stop hook feedback:.*" + text }

const notified = "<task-notification>"

// feedbacks are the rows with which the client tells the agent of a blocked stop.
func feedbacks(s *Stage, session string) []string {
	s.t.Helper()
	var texts []string
	for _, row := range s.RowsWhere(session, "type", "user", "isMeta", "true") {
		if text := messageText(row.Get("message.content")); strings.HasPrefix(text, "Stop hook feedback:") {
			texts = append(texts, text)
		}
	}
	return texts
}

// summaries counts the rows in which the client says that Stop hooks have run.
func summaries(s *Stage, session string) int {
	s.t.Helper()
	return len(s.RowsWhere(session, "type", "system", "subtype", "stop_hook_summary"))
}

// said are the messages of Stop hooks that a person was shown, in the stream.
func said(r *Run) []string {
	var all []string
	for _, e := range r.Events() {
		if text, ok := strings.CutPrefix(e.Get("content").String(), "Stop says: "); ok && e.Get("subtype").String() == "informational" {
			all = append(all, text)
		}
	}
	return all
}

// count fails the test when something did not happen as often as it should.
func count(t *testing.T, what string, got, want int) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %d, want %d", what, got, want)
	}
}

// contains fails the test for every one of parts that text lacks.
func contains(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s does not say %q:\n%s", what, part, text)
		}
	}
}

// success checks that a turn ended well, and with which words.
func success(t *testing.T, result gjson.Result, words string) {
	t.Helper()
	if result.Get("subtype").String() != "success" || result.Get("is_error").Bool() {
		t.Errorf("the turn ended with %s", result.Raw)
	}
	contains(t, "the turn's answer", result.Get("result").String(), words)
}

// exits checks that the client ended well.
func exits(t *testing.T, r *Run) {
	t.Helper()
	if code := r.Close(); code != 0 {
		t.Errorf("the client exited with %d: %s", code, r.Stderr())
	}
}

func decisionText(d Decision) string {
	return fmt.Sprintf("%s %s", d.Event, verdictLine(d.Verdict, d.Code))
}
