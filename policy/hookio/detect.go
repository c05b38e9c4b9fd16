package hookio

import (
	"strings"

	"github.com/tidwall/gjson"
)

// seen are the marks that detect looks for in a payload.
type seen struct {
	claude, turn, cursor, camel, stopReason, permission, windsurf, stamp, qwen, path, active, last bool
	event, transcript                                                                              string
}

// detect tells the host from the payload's top-level keys (docs/hosts.md).
//
// The keys that only Claude Code sends come first: should it adopt a name that today
// marks another host, the gate must not vanish with the upgrade. Qwen Code sends
// some of them, too, and more of its own. Then come the keys of Cursor, which sends
// its payload to what was installed for others, and the folder of the transcript.
func detect(fields []field) Host {
	s := look(fields)
	home := hostOfPath(s.transcript)
	switch {
	case s.claude && !(s.qwen && s.stamp) && (home == HostAuto || home == HostClaudeCode):
		return HostClaudeCode
	case s.windsurf:
		return HostWindsurf
	case s.cursor:
		return HostCursor
	case home != HostAuto:
		return home
	case s.qwen && s.stamp:
		return HostQwen
	case s.turn:
		return HostCodex
	case s.camel, s.stopReason && !s.permission:
		return HostCopilot
	case geminiEvent(s.event):
		return HostGemini
	case s.stamp && (!s.path || s.active && !s.last):
		// Copilot CLI names no transcript but at a stop; VS Code sends the words of
		// the agent nowhere.
		return HostCopilot
	case s.stamp && !s.permission && (s.event == string(SessionStart) || s.event == string(SessionEnd)):
		return HostGemini
	case s.stamp, s.qwen:
		return HostQwen
	}
	return HostClaudeCode
}

func look(fields []field) seen {
	var s seen
	for _, f := range fields {
		switch f.key {
		case "prompt_id", "background_tasks", "session_crons":
			s.claude = true
		case "turn_id":
			s.turn = true
		case "loop_count", "conversation_id", "generation_id", "cursor_version":
			s.cursor = true
		case "sessionId", "hookEventName":
			s.camel = true
		case "stop_reason", "initial_prompt":
			s.stopReason = true
		case "permission_mode":
			s.permission = true
		case "agent_action_name":
			s.windsurf = true
		case "timestamp":
			s.stamp = true
		case "context_usage", "context_limit", "crons", "submitted_prompt":
			s.qwen = true
		case "stop_hook_active":
			s.active = true
		case "last_assistant_message":
			s.last = true
		case "hook_event_name":
			s.event = f.value.String()
		case "transcript_path", "transcriptPath":
			s.path = true
			if f.value.Type == gjson.String {
				s.transcript = f.value.Str
			}
		}
	}
	return s
}

// hostOfPath knows where hosts keep their transcripts. The folders can be moved
// (CODEX_HOME and its like), so no match proves nothing.
func hostOfPath(path string) Host {
	path = strings.ReplaceAll(path, `\`, "/")
	name := path[strings.LastIndexByte(path, '/')+1:]
	switch {
	case strings.Contains(path, "/.claude/projects/"):
		return HostClaudeCode
	case strings.HasPrefix(name, "rollout-") && strings.HasSuffix(name, ".jsonl"):
		return HostCodex
	case strings.Contains(path, "/.gemini/tmp/"):
		return HostGemini
	case strings.Contains(path, "/.qwen/"):
		return HostQwen
	case strings.Contains(path, "/.copilot/"):
		return HostCopilot
	case strings.Contains(path, "/.factory/"):
		return HostDroid
	}
	return HostAuto
}

// geminiEvent knows the event names that only Gemini CLI uses.
func geminiEvent(name string) bool {
	switch name {
	case "AfterAgent", "BeforeAgent", "BeforeModel", "AfterModel", "BeforeTool", "AfterTool", "BeforeToolSelection", "PreCompress":
		return true
	}
	return false
}
