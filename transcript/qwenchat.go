package transcript

import (
	"strings"

	"github.com/tidwall/gjson"
)

// qwenRow reads one row of a Qwen Code chat, ~/.qwen/projects/*/chats/*.jsonl: Claude
// Code's envelope around Gemini's parts (qwen-code 0.24.4 and 0.15.10).
func qwenRow(f *foreign, row gjson.Result) {
	if isTrue(row.Get("isSidechain")) {
		return
	}
	id, at := str(row.Get("uuid")), parseTime(row.Get("timestamp"))
	if v := str(row.Get("version")); v != "" {
		f.session.Version = strings.Clone(v)
	}
	parts := row.Get("message.parts")
	switch str(row.Get("type")) {
	case "user":
		text, results := partsText(parts)
		from := str(row.Get("provenance"))
		if results || text == "" || from != "" && from != "real_user" && !IsRemediation(text) {
			return
		}
		f.prompt(text, id, id, at)
	case "assistant":
		text, _ := partsText(parts)
		f.say(text, id, at)
		parts.ForEach(func(_, p gjson.Result) bool {
			if c := p.Get("functionCall"); c.Exists() {
				s := step{kind: stepCall, id: str(c.Get("id")), input: c.Get("args")}
				s.call.Name = strings.Clone(str(c.Get("name")))
				f.add(s, id, at)
			}
			return true
		})
	case "tool_result":
		failed := str(row.Get("toolCallResult.status")) == "error"
		parts.ForEach(func(_, p gjson.Result) bool {
			r := p.Get("functionResponse")
			s := step{kind: stepResult, id: str(r.Get("id")), fail: failed || r.Get("response.error").Exists()}
			s.exit = exitCode(str(r.Get("response.output")), "Exit Code: ")
			s.fail = s.fail || s.exit != nil && *s.exit != 0
			f.add(s, id, at)
			return true
		})
	}
}
