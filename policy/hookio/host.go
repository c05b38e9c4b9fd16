package hookio

import (
	"fmt"
	"strings"
)

// Host is the program that called the hook.
type Host string

// The hosts whose payloads can be told apart. [HostAuto], the zero value, asks
// [Decode] to look at the payload. Claude Code also stands for the hosts that
// copy its payload exactly (wave-agent).
const (
	HostAuto       Host = ""
	HostClaudeCode Host = "claude-code"
	HostCodex      Host = "codex"
	HostCursor     Host = "cursor"
	HostCopilot    Host = "copilot" // Copilot CLI, its cloud agent and VS Code
	HostGemini     Host = "gemini"
	HostQwen       Host = "qwen"
	HostDroid      Host = "droid" // Factory Droid
	HostWindsurf   Host = "windsurf"
)

// ParseHost reads a host's name as a person writes it in a flag: any case, and
// "auto" or nothing for [HostAuto]. The error is [ErrUnknownHost].
func ParseHost(name string) (Host, error) {
	h := Host(strings.ToLower(strings.TrimSpace(name)))
	switch h {
	case HostAuto, HostClaudeCode, HostCodex, HostCursor, HostCopilot, HostGemini, HostQwen, HostDroid, HostWindsurf:
		return h, nil
	case "auto":
		return HostAuto, nil
	}
	return HostAuto, fmt.Errorf("host %q: %w; use auto, claude-code, codex, cursor, copilot, gemini, qwen, droid or windsurf", name, ErrUnknownHost)
}

// codec is what differs between hosts on the wire. A new host is a new codec
// and one line in [codecFor].
type codec interface {
	// field translates a payload key to the name that [Event] is filled from.
	field(key string) string
	// name puts the canonical name into e.Name, and whatever else of the event is
	// told in another way than by a field of its own. fields are in payload order.
	name(e *Event, fields []field)
	// blockable says whether a stop can be held at this event.
	blockable(e *Event) bool
	// deniable says whether a tool call can be refused at this event.
	deniable(e *Event) bool
	// encode writes the answer, or says why it has no legal form.
	encode(ev *Event, a Answer, style BlockStyle) ([]byte, error)
}

func codecFor(h Host) codec {
	switch h {
	case HostCodex:
		return codex{}
	case HostGemini:
		return gemini{}
	case HostQwen:
		return qwen{}
	case HostCursor:
		return cursor{}
	case HostCopilot:
		return copilot{}
	case HostDroid:
		return droid{}
	case HostWindsurf:
		return windsurf{}
	case HostAuto, HostClaudeCode:
		return claudeCode{}
	}
	return stranger{}
}
