package hookio

import (
	"encoding/json"

	"github.com/tidwall/gjson"
)

// cursor is Cursor. It cannot hold the end of a turn: a block becomes the next
// prompt, which Cursor sends by itself. The same payload reaches commands that were
// installed for Claude Code, under Claude Code's event names, and is answered in
// the same form.
type cursor struct{}

func (cursor) field(key string) string {
	switch key {
	case "conversation_id":
		return "session_id"
	case "session_id":
		return "" // of some events, and equal: one of the two is enough
	}
	return key
}

func (cursor) name(e *Event, fields []field) {
	switch e.HostEvent {
	case "stop":
		e.Name = Stop
	case "subagentStop":
		e.Name = SubagentStop
	case "sessionStart":
		e.Name = SessionStart
	case "sessionEnd":
		e.Name = SessionEnd
	case "beforeSubmitPrompt":
		e.Name = UserPromptSubmit
	case "preToolUse", "beforeShellExecution", "beforeMCPExecution", "beforeReadFile":
		e.Name = PreToolUse
	case "postToolUse", "afterShellExecution", "afterMCPExecution", "afterFileEdit":
		e.Name = PostToolUse
	}
	for _, f := range fields {
		switch {
		case f.key == "workspace_roots" && e.CWD == "":
			e.CWD = unquote(f.value.Get("0"))
		case f.key == "session_id" && e.SessionID == "":
			e.SessionID = e.str(f.key, f.value)
		case f.key == "command" && e.HostEvent == "beforeShellExecution" && f.value.Type == gjson.String:
			e.ToolName = "Shell"
			e.ToolInput = json.RawMessage(`{"command":` + f.value.Raw + `}`)
		}
	}
}

// A turn that the person broke off or that died of an error is not prompted again.
func (cursor) blockable(e *Event) bool {
	return e.Name == Stop && e.Status != "aborted" && e.Status != "error"
}

func (cursor) deniable(e *Event) bool { return e.Name == PreToolUse }

func (c cursor) encode(ev *Event, a Answer, _ BlockStyle) ([]byte, error) {
	var o object
	switch a.kind {
	case KindBlock:
		if !c.blockable(ev) {
			return nil, refused(ev, a, ErrCannotBlock)
		}
		o.pair("followup_message", a.text)
	case KindDeny:
		if !c.deniable(ev) {
			return nil, refused(ev, a, ErrCannotBlock)
		}
		o.pair("permission", "deny")
		o.pair("agent_message", a.text)
		if a.message != "" {
			o.pair("user_message", a.message)
		}
	case KindContext:
		if ev.Name != SessionStart {
			return nil, refused(ev, a, ErrNoContext)
		}
		o.pair("additional_context", a.text)
	}
	return o.bytes(), nil
}
