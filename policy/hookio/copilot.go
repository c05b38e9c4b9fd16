package hookio

import (
	"encoding/json"

	"github.com/tidwall/gjson"
)

// copilot is GitHub Copilot: the CLI, its cloud agent, and VS Code. A hook that is
// installed under a camelCase name gets a camelCase payload without the event's
// name, one under Claude Code's name gets Claude Code's field names (copilot-cli
// 1.0.102). VS Code only knows the latter.
type copilot struct{}

func (copilot) field(key string) string {
	switch key {
	case "sessionId":
		return "session_id"
	case "transcriptPath":
		return "transcript_path"
	case "stopHookActive":
		return "stop_hook_active"
	case "hookEventName":
		return "hook_event_name"
	case "toolName":
		return "tool_name"
	case "toolArgs":
		return "tool_input"
	}
	return key
}

func (copilot) name(e *Event, fields []field) {
	if e.HostEvent == "" {
		e.HostEvent = guessed(fields)
	}
	switch e.HostEvent {
	case "agentStop":
		e.Name = Stop
	case "subagentStop":
		e.Name = SubagentStop
	case "sessionStart":
		e.Name = SessionStart
	case "sessionEnd":
		e.Name = SessionEnd
	case "userPromptSubmitted":
		e.Name = UserPromptSubmit
	case "preToolUse":
		e.Name = PreToolUse
	case "postToolUse":
		e.Name = PostToolUse
	}
	// Older versions send the arguments as a string that holds the object.
	if s := gjson.ParseBytes(e.ToolInput); s.Type == gjson.String && gjson.Valid(s.Str) {
		e.ToolInput = json.RawMessage(s.Str)
	}
}

// guessed tells the event of a payload that does not name it by the keys that only
// this event has. What ends a subagent is looked for before what ends the agent.
func guessed(fields []field) string {
	has := map[string]bool{}
	for _, f := range fields {
		has[f.key] = true
	}
	switch {
	case has["agentName"], has["agentId"]:
		if has["stopReason"] {
			return "subagentStop"
		}
		return "subagentStart"
	case has["stopReason"]:
		return "agentStop"
	case has["toolResult"]:
		return "postToolUse"
	case has["error"]:
		return "errorOccurred"
	case has["toolName"]:
		return "preToolUse"
	case has["source"], has["initialPrompt"]:
		return "sessionStart"
	case has["reason"]:
		return "sessionEnd"
	case has["prompt"]:
		return "userPromptSubmitted"
	}
	return ""
}

// canonical says that the host used Claude Code's names.
func (copilot) canonical(ev *Event) bool { return ev.hostName() == string(ev.Name) }

// vscode tells VS Code from the CLI: the latter says why the agent stopped, and
// names no transcript anywhere else.
func (copilot) vscode(ev *Event) bool {
	if !(copilot{}).canonical(ev) || gjson.GetBytes(ev.Raw, "stop_reason").Exists() {
		return false
	}
	return ev.TranscriptPath != "" || gjson.GetBytes(ev.Raw, "hookEventName").Exists()
}

func (copilot) blockable(e *Event) bool { return e.Name == Stop }

func (copilot) deniable(e *Event) bool { return e.Name == PreToolUse }

func (c copilot) encode(ev *Event, a Answer, _ BlockStyle) ([]byte, error) {
	var o object
	if c.vscode(ev) {
		o.message = a.message // the CLI shows it nowhere
	}
	switch a.kind {
	case KindBlock:
		if !c.blockable(ev) {
			return nil, refused(ev, a, ErrCannotBlock)
		}
		o.decision(a.text)
		if c.vscode(ev) {
			// VS Code documents the decision here, and its first versions at the top.
			o.buf = append(o.buf, `,"hookSpecificOutput":{"hookEventName":"Stop","decision":"block","reason":`...)
			o.buf = append(quote(o.buf, a.text), '}')
		}
	case KindDeny:
		if !c.deniable(ev) {
			return nil, refused(ev, a, ErrCannotBlock)
		}
		if c.canonical(ev) {
			o.deny(a.text)
		} else {
			o.pair("permissionDecision", "deny")
			o.pair("permissionDecisionReason", a.text)
		}
	case KindContext:
		if ev.Name != SessionStart {
			return nil, refused(ev, a, ErrNoContext)
		}
		if c.canonical(ev) {
			o.specific(string(ev.Name), "additionalContext", a.text)
		} else {
			o.pair("additionalContext", a.text)
		}
	}
	return o.bytes(), nil
}
