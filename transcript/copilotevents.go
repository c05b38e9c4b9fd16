package transcript

import (
	"strings"

	"github.com/tidwall/gjson"
)

// copilotRow reads one row of a Copilot CLI session,
// ~/.copilot/session-state/ID/events.jsonl: {type, data, id, timestamp}. The host
// writes it a moment after the fact (copilot-cli 1.0.102). Rows of a subagent are
// its own affair: the call that started it is the agent's.
func copilotRow(f *foreign, row gjson.Result) {
	d := row.Get("data")
	if row.Get("agentId").Exists() || d.Get("parentToolCallId").Exists() {
		return
	}
	id, at := str(row.Get("id")), parseTime(row.Get("timestamp"))
	switch str(row.Get("type")) {
	case "hook.end":
		if o := d.Get("output"); str(o.Get("decision")) == "block" {
			f.reasons[str(o.Get("reason"))] = true
		}
	case "user.message":
		if from := str(d.Get("source")); from == "" || from == "user" {
			f.prompt(str(d.Get("content")), id, id, at)
		}
	case "assistant.message":
		f.say(str(d.Get("content")), id, at)
		d.Get("toolRequests").ForEach(func(_, c gjson.Result) bool {
			s := step{kind: stepCall, id: str(c.Get("toolCallId")), input: c.Get("arguments")}
			s.call.Name = strings.Clone(str(c.Get("name")))
			f.add(s, id, at)
			return true
		})
	case "tool.execution_complete":
		s := step{kind: stepResult, id: str(d.Get("toolCallId")), fail: d.Get("success").Type == gjson.False}
		if code := d.Get("shellExecution.exitCode"); code.Type == gjson.Number {
			n := int(code.Int())
			s.exit, s.fail = &n, s.fail || n != 0
		}
		f.add(s, id, at)
	}
}
