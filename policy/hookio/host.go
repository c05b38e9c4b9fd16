package hookio

import (
	"fmt"
	"strings"
)

// Host is the program that called the hook.
type Host string

// The hosts whose payloads can be told apart. [HostAuto], the zero value, asks
// [Decode] to look at the payload. Claude Code also stands for the hosts that
// copy its payload exactly (Factory Droid, wave-agent).
const (
	HostAuto       Host = ""
	HostClaudeCode Host = "claude-code"
	HostCodex      Host = "codex"
	HostCursor     Host = "cursor"
	HostCopilot    Host = "copilot" // Copilot CLI, its cloud agent and VS Code
	HostGemini     Host = "gemini"
	HostQwen       Host = "qwen"
	HostWindsurf   Host = "windsurf"
)

// ParseHost reads a host's name as a person writes it in a flag: any case, and
// "auto" or nothing for [HostAuto]. The error is [ErrUnknownHost].
func ParseHost(name string) (Host, error) {
	h := Host(strings.ToLower(strings.TrimSpace(name)))
	switch h {
	case HostAuto, HostClaudeCode, HostCodex, HostCursor, HostCopilot, HostGemini, HostQwen, HostWindsurf:
		return h, nil
	case "auto":
		return HostAuto, nil
	}
	return HostAuto, fmt.Errorf("host %q: %w; use auto, claude-code, codex, cursor, copilot, gemini, qwen or windsurf", name, ErrUnknownHost)
}

// detect tells the host from the payload's top-level keys (hosts section 0).
//
// The keys that only Claude Code sends are asked first: should it adopt a name
// that today marks another host, the gate must not vanish with the upgrade.
func detect(fields []field) Host {
	var seen struct {
		claude, turn, cursor, sessionID, stopReason, permission, windsurf, qwen bool
		event                                                                   string
	}
	for _, f := range fields {
		switch f.key {
		case "prompt_id", "background_tasks", "session_crons":
			seen.claude = true
		case "turn_id":
			seen.turn = true
		case "loop_count", "conversation_id", "generation_id", "cursor_version":
			seen.cursor = true
		case "sessionId":
			seen.sessionID = true
		case "stop_reason":
			seen.stopReason = true
		case "permission_mode":
			seen.permission = true
		case "agent_action_name":
			seen.windsurf = true
		case "timestamp", "context_usage":
			seen.qwen = true
		case "hook_event_name":
			seen.event = f.value.String()
		}
	}
	switch {
	case seen.claude:
		return HostClaudeCode
	case seen.turn:
		return HostCodex
	case seen.cursor:
		return HostCursor
	case seen.sessionID, seen.stopReason && !seen.permission:
		return HostCopilot
	case geminiEvent(seen.event):
		return HostGemini
	case seen.windsurf:
		return HostWindsurf
	case seen.qwen:
		return HostQwen
	}
	return HostClaudeCode
}

// geminiEvent knows the event names that only Gemini CLI uses.
func geminiEvent(name string) bool {
	switch name {
	case "AfterAgent", "BeforeAgent", "BeforeModel", "AfterModel", "BeforeTool", "AfterTool":
		return true
	}
	return false
}

// codec is what differs between hosts on the wire. A new host is a new codec
// and one line in [codecFor].
type codec interface {
	// field translates a payload key to the name that [Event] is filled from.
	field(key string) string
	// blockable says whether a stop can be held at this event.
	blockable(name EventName) bool
	// encode writes the answer, or says why it has no legal form.
	encode(ev *Event, a Answer, style BlockStyle) ([]byte, error)
}

func codecFor(h Host) codec {
	if h == HostClaudeCode || h == HostAuto {
		return claudeCode{}
	}
	return portable{host: h}
}
