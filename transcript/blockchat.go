package transcript

import (
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// cursorRow reads one row of a Cursor transcript,
// ~/.cursor/projects/*/agent-transcripts/ID/ID.jsonl: {role, message: {content}}. No
// row has a time or an id, and results are not in it, so the turn is marked
// [Turn.Untimed]. The shape is by public descriptions, not measured.
func cursorRow(f *foreign, row gjson.Result) {
	f.session.Turn.Untimed = true
	f.blocks(row, str(row.Get("role")))
}

// droidRow reads one row of a Factory Droid session, ~/.factory/sessions/*/ID.jsonl:
// {type: "message", id, timestamp, message: {role, content}}. The shape is by public
// descriptions, not measured.
func droidRow(f *foreign, row gjson.Result) {
	if str(row.Get("type")) == "message" {
		f.blocks(row, str(row.Get("message.role")))
	}
}

// blocks reads a message whose content is a list of text, tool_use and tool_result.
func (f *foreign) blocks(row gjson.Result, role string) {
	id, at := str(row.Get("id")), parseTime(row.Get("timestamp"))
	var said []string
	n, results := 0, false
	content := row.Get("message.content")
	if content.Type == gjson.String {
		said = append(said, content.Str)
	}
	content.ForEach(func(_, b gjson.Result) bool {
		switch str(b.Get("type")) {
		case "text":
			if t := str(b.Get("text")); !strings.HasPrefix(t, "<system-reminder>") {
				said = append(said, t)
			}
		case "tool_use":
			n++
			s := step{kind: stepCall, id: str(b.Get("id")), input: b.Get("input")}
			if s.id == "" {
				s.id = "row " + strconv.FormatInt(f.row, 10) + " call " + strconv.Itoa(n)
			}
			s.call.Name = strings.Clone(str(b.Get("name")))
			f.add(s, id, at)
		case "tool_result":
			results = true
			f.add(step{kind: stepResult, id: str(b.Get("tool_use_id")), fail: isTrue(b.Get("is_error"))}, id, at)
		}
		return true
	})
	text := strings.Join(said, "\n")
	switch {
	case role == "assistant":
		f.say(text, id, at)
	case role == "user" && text != "" && !results:
		key := id
		if key == "" {
			key = "row " + strconv.FormatInt(f.row, 10)
		}
		if _, query, ok := strings.Cut(text, "<user_query>"); ok {
			text, _, _ = strings.Cut(query, "</user_query>")
		}
		f.prompt(strings.TrimSpace(text), key, id, at)
	}
}
