package doctor

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/stophook/stophook/policy/hookio"
)

// sampleText is how the agent ends the sample turn.
const sampleText = "Done. This is a sample turn of `stophook doctor`."

// sample is one event as a host would send it.
type sample struct {
	host    hookio.Host
	event   string
	session string
	payload []byte
	fields  map[string]any
}

// newSample makes an event of a session in dir. The end of a turn is that of one
// which used a tool, started a job that nobody collected, and has no evidence.
func newSample(host hookio.Host, event, dir, cwd string, now time.Time) (sample, error) {
	s := sample{host: host, event: event, session: "stophook-doctor"}
	path := filepath.Join(dir, s.session+".jsonl")
	if cwd == "" {
		cwd = dir
	}
	s.fields = map[string]any{"session_id": s.session, "transcript_path": path, "cwd": cwd, "hook_event_name": event}
	text := claudeTranscript(s.session, cwd, now)
	switch {
	case host == hookio.HostCodex:
		path = filepath.Join(dir, "rollout-2026-01-01T00-00-00-"+s.session+".jsonl")
		text = codexTranscript(s.session, cwd, now)
		s.set("transcript_path", path, "turn_id", "turn-1", "model", "sample", "permission_mode", "default")
	case host == hookio.HostGemini:
		path = filepath.Join(dir, s.session+".json")
		text = geminiTranscript(s.session, now)
		s.set("transcript_path", path, "timestamp", stamp(now))
	case host == hookio.HostQwen:
		s.set("timestamp", stamp(now))
	case host == hookio.HostCursor:
		s.fields = map[string]any{"conversation_id": s.session, "generation_id": "1", "model": "sample", "hook_event_name": event, "cursor_version": "1",
			"workspace_roots": []string{cwd}, "transcript_path": path, "status": "completed", "loop_count": 0}
	case host == hookio.HostCopilot && event[0] >= 'a':
		s.fields = map[string]any{"sessionId": s.session, "timestamp": now.UnixMilli(), "cwd": cwd, "transcriptPath": path}
	case host == hookio.HostCopilot:
		s.set("timestamp", stamp(now))
	default:
		s.set("permission_mode", "default")
	}
	s.details()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return s, err
	}
	return s.encode()
}

func (s *sample) set(pairs ...any) {
	for i := 0; i+1 < len(pairs); i += 2 {
		s.fields[pairs[i].(string)] = pairs[i+1]
	}
}

// details are the fields of one event.
func (s *sample) details() {
	switch s.event {
	case "Stop":
		s.set("stop_hook_active", false)
		if s.host == hookio.HostCopilot {
			s.set("stop_reason", "end_turn")
		} else {
			s.set("last_assistant_message", sampleText)
		}
		if s.host == hookio.HostClaudeCode {
			s.set("background_tasks", []any{}, "session_crons", []any{})
		}
	case "agentStop":
		s.set("stopReason", "end_turn")
	case "AfterAgent":
		s.set("prompt", "try it", "prompt_response", sampleText, "stop_hook_active", false)
	case "SessionStart", "sessionStart":
		s.set("source", "startup")
	case "UserPromptSubmit":
		s.set("prompt", "try it")
	case "PreToolUse":
		s.set("tool_name", "Bash", "tool_input", map[string]any{"command": "true"}, "tool_use_id", "toolu_sample")
	}
}

func (s sample) encode() (sample, error) {
	payload, err := json.Marshal(s.fields)
	s.payload = payload
	return s, err
}

// passing is an event of the same hook that always passes, when the host has one:
// the end of a subagent, which nobody asks for evidence.
func (s sample) passing() (sample, bool) {
	if s.host != hookio.HostClaudeCode {
		return s, false
	}
	fields := map[string]any{"agent_id": "sample", "agent_type": "general-purpose", "agent_transcript_path": s.fields["transcript_path"]}
	for k, v := range s.fields {
		fields[k] = v
	}
	fields["hook_event_name"], fields["session_id"] = "SubagentStop", s.session+"-pass"
	s.fields, s.session = fields, s.session+"-pass"
	s, err := s.encode()
	return s, err == nil
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// lines writes one row after the other, a second apart, the last one at now.
func lines(now time.Time, rows ...map[string]any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for i, row := range rows {
		row["timestamp"] = stamp(now.Add(time.Duration(i-len(rows)+1) * time.Second))
		_ = enc.Encode(row) // maps of strings and booleans
	}
	return b.Bytes()
}

// claudeTranscript is the sample turn as Claude Code writes it; Qwen Code, Droid and
// others that name no form of their own get it, too.
func claudeTranscript(session, cwd string, now time.Time) []byte {
	row := func(kind, uuid, parent string, message map[string]any) map[string]any {
		r := map[string]any{"type": kind, "uuid": uuid, "parentUuid": parent, "isSidechain": false, "userType": "external", "entrypoint": "sdk-cli",
			"cwd": cwd, "sessionId": session, "version": "2.1.332", "message": message}
		if parent == "" {
			r["parentUuid"] = nil
		}
		return r
	}
	prompt := row("user", "00000000-0000-4000-8000-000000000001", "", map[string]any{"role": "user", "content": "try it"})
	prompt["origin"], prompt["promptId"] = map[string]any{"kind": "human"}, "00000000-0000-4000-8000-0000000000ff"
	call := row("assistant", "00000000-0000-4000-8000-000000000002", "00000000-0000-4000-8000-000000000001", map[string]any{"role": "assistant",
		"id": "msg_1", "stop_reason": "tool_use", "content": []any{map[string]any{"type": "tool_use", "id": "toolu_sample", "name": "Bash",
			"input": map[string]any{"command": "make", "description": "Build", "run_in_background": true}}}})
	result := row("user", "00000000-0000-4000-8000-000000000003", "00000000-0000-4000-8000-000000000002", map[string]any{"role": "user",
		"content": []any{map[string]any{"tool_use_id": "toolu_sample", "type": "tool_result", "content": "In the background as bsample01.", "is_error": false}}})
	result["toolUseResult"] = map[string]any{"stdout": "", "stderr": "", "interrupted": false, "isImage": false, "backgroundTaskId": "bsample01"}
	say := row("assistant", "00000000-0000-4000-8000-000000000004", "00000000-0000-4000-8000-000000000003", map[string]any{"role": "assistant", "id": "msg_2",
		"stop_reason": "end_turn", "content": []any{map[string]any{"type": "text", "text": sampleText}}})
	return lines(now, prompt, call, result, say)
}

// codexTranscript is the sample turn as Codex writes it, without the job.
func codexTranscript(session, cwd string, now time.Time) []byte {
	row := func(kind string, payload map[string]any) map[string]any {
		return map[string]any{"type": kind, "payload": payload}
	}
	text := func(role, kind, words string) map[string]any {
		return row("response_item", map[string]any{"type": "message", "role": role, "content": []any{map[string]any{"type": kind, "text": words}}})
	}
	return lines(now,
		row("session_meta", map[string]any{"id": session, "timestamp": stamp(now), "cwd": cwd, "originator": "codex_cli_rs", "cli_version": "0.171.0"}),
		row("turn_context", map[string]any{"turn_id": "turn-1", "cwd": cwd, "model": "sample"}),
		row("event_msg", map[string]any{"type": "task_started", "turn_id": "turn-1"}),
		text("user", "input_text", "try it"),
		row("event_msg", map[string]any{"type": "user_message", "message": "try it"}),
		row("response_item", map[string]any{"type": "function_call", "name": "exec_command", "arguments": `{"cmd":"make"}`, "call_id": "call_sample"}),
		row("response_item", map[string]any{"type": "function_call_output", "call_id": "call_sample", "output": "done"}),
		text("assistant", "output_text", sampleText),
		row("event_msg", map[string]any{"type": "agent_message", "message": sampleText}))
}

// geminiTranscript is the sample turn as Gemini CLI writes it, without the job.
func geminiTranscript(session string, now time.Time) []byte {
	call := map[string]any{"id": "call_sample", "name": "run_shell_command", "args": map[string]any{"command": "make"}, "status": "success", "timestamp": stamp(now)}
	text, _ := json.Marshal(map[string]any{"sessionId": session, "projectHash": "0", "startTime": stamp(now), "lastUpdated": stamp(now), "messages": []any{
		map[string]any{"id": "m1", "type": "user", "timestamp": stamp(now.Add(-time.Second)), "content": "try it"},
		map[string]any{"id": "m2", "type": "gemini", "timestamp": stamp(now), "content": sampleText, "toolCalls": []any{call}},
	}})
	return text
}
