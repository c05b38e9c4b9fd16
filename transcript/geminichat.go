package transcript

import (
	"strings"

	"github.com/tidwall/gjson"
)

// geminiRow reads one row of a Gemini CLI chat, ~/.gemini/tmp/*/chats/session-*.jsonl:
// messages, a change of the whole ({"$set"}), or a step back ({"$rewindTo"}). A
// message is written again when its tool calls are done (gemini-cli 0.61.0).
func geminiRow(f *foreign, row gjson.Result) {
	if set := row.Get("$set"); set.Exists() {
		if messages := set.Get("messages"); messages.IsArray() {
			f.steps = f.steps[:0]
			messages.ForEach(func(_, m gjson.Result) bool { geminiMessage(f, m); return true })
		}
		return
	}
	if to := str(row.Get("$rewindTo")); to != "" {
		for i, s := range f.steps {
			if s.at.UUID == to {
				f.steps = f.steps[:i]
				break
			}
		}
		return
	}
	geminiMessage(f, row)
}

// geminiFile reads the form before the rows: one JSON value with all messages.
func geminiFile(f *foreign, doc gjson.Result) {
	doc.Get("messages").ForEach(func(_, m gjson.Result) bool { geminiMessage(f, m); return true })
}

func geminiMessage(f *foreign, m gjson.Result) {
	id, at := str(m.Get("id")), parseTime(m.Get("timestamp"))
	switch str(m.Get("type")) {
	case "user":
		text, results := partsText(m.Get("content"))
		if results || text == "" || strings.HasPrefix(text, "<session_context>") {
			return
		}
		f.prompt(text, id, id, at)
	case "gemini":
		text, _ := partsText(m.Get("content"))
		f.say(text, id, at)
		m.Get("toolCalls").ForEach(func(_, c gjson.Result) bool {
			s := step{kind: stepCall, id: str(c.Get("id")), input: c.Get("args")}
			s.call.Name = strings.Clone(str(c.Get("name")))
			f.add(s, id, at)
			if status := str(c.Get("status")); status != "" {
				r := step{kind: stepResult, id: s.id, fail: status == "error" || status == "cancelled"}
				r.exit = exitCode(str(c.Get("result.0.functionResponse.response.output")), "Exit Code: ")
				r.fail = r.fail || r.exit != nil && *r.exit != 0
				f.add(r, id, parseTime(c.Get("timestamp")))
			}
			return true
		})
	}
}

// partsText joins the text of a message's parts, or takes it as it is; results says
// that a tool's answer is among them. Thoughts are not said to anybody.
func partsText(content gjson.Result) (text string, results bool) {
	if content.Type == gjson.String {
		return content.Str, false
	}
	var parts []string
	content.ForEach(func(_, p gjson.Result) bool {
		if p.Get("functionResponse").Exists() {
			results = true
		}
		if t := str(p.Get("text")); t != "" && !isTrue(p.Get("thought")) {
			parts = append(parts, t)
		}
		return true
	})
	return strings.Join(parts, "\n"), results
}
