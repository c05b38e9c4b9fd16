package hookio_test

import (
	"errors"
	"testing"

	"github.com/stophook/stophook/policy/hookio"
)

func TestEvent_Task(t *testing.T) {
	tests := []struct {
		name, payload  string
		running, known bool
		reason         string
	}{
		{"absent", `{}`, false, false, "an old host, or a registry out of reach"},
		{"null", `{"background_tasks":null}`, false, false, "null is absent"},
		{"object", `{"background_tasks":{}}`, false, false, "no list tells nothing"},
		{"empty string", `{"background_tasks":""}`, false, false, "no list tells nothing"},
		{"empty", `{"background_tasks":[]}`, false, true, "the host says that nothing runs"},
		{"other", `{"background_tasks":[{"id":"b10"}]}`, false, true, "ids are whole: b1 is not b10"},
		{"listed", `{"background_tasks":[{"id":"b1","status":"running"}]}`, true, true, "the host says so"},
		{"listed without status", `{"background_tasks":[{"id":"b1"}]}`, true, true, "the host lists live tasks only"},
		{"listed as over", `{"background_tasks":[{"id":"b1","status":"killed"}]}`, false, true, "its own word beats the listing"},
		{"malformed beside", `{"background_tasks":[null,{"id":"b2"}]}`, false, false, "the unreadable entry may be the one"},
		{"malformed and listed", `{"background_tasks":["b1",{"id":"b1"}]}`, true, true, "found is found"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ev, err := hookio.Decode([]byte(tt.payload), hookio.HostAuto)
			if err != nil {
				t.Fatal(err)
			}
			if running, known := ev.Task("b1"); running != tt.running || known != tt.known {
				t.Errorf("running %v known %v, want %v %v: %s", running, known, tt.running, tt.known, tt.reason)
			}
		})
	}
	var none *hookio.Event
	if running, known := none.Task("b1"); running || known {
		t.Error("a nil event knows no task")
	}
}

func TestExpandHome(t *testing.T) {
	tests := []struct{ path, home, want, reason string }{
		{"~/.claude/x.jsonl", "/home/dev", "/home/dev/.claude/x.jsonl", "the ordinary case"},
		{"~/x", "/home/dev/", "/home/dev/x", "no doubled slash"},
		{"~/x", "/", "/x", "root's home in a container"},
		{"~/x", "", "~/x", "no home: better unreadable than somewhere else"},
		{"~dev/x", "/home/dev", "~dev/x", "another user's home is not ours to find"},
		{"/a/~/x", "/home/dev", "/a/~/x", "only at the start"},
		{"~", "/home/dev", "~", "no file"},
		{"", "/home/dev", "", "absent stays absent"},
	}
	for _, tt := range tests {
		if got := hookio.ExpandHome(tt.path, tt.home); got != tt.want {
			t.Errorf("ExpandHome(%q, %q) = %q, want %q: %s", tt.path, tt.home, got, tt.want, tt.reason)
		}
	}
}

func TestParseHost(t *testing.T) {
	for in, want := range map[string]hookio.Host{
		"": hookio.HostAuto, "auto": hookio.HostAuto, " Claude-Code ": hookio.HostClaudeCode, "cursor": hookio.HostCursor,
	} {
		if got, err := hookio.ParseHost(in); err != nil || got != want {
			t.Errorf("ParseHost(%q) = %q, %v; want %q", in, got, err, want)
		}
	}
	if _, err := hookio.ParseHost("claud"); !errors.Is(err, hookio.ErrUnknownHost) {
		t.Errorf("error %v, want ErrUnknownHost: a typo must not fall back to guessing", err)
	}
}

func TestEvent_WhatAHostCanDo(t *testing.T) {
	tests := []struct {
		payload            string
		block, deny, shows bool
		reason             string
	}{
		{`{"hook_event_name":"Stop"}`, true, false, true, "Claude Code"},
		{`{"hook_event_name":"Stop","turn_id":"t"}`, true, false, true, "Codex"},
		{`{"hook_event_name":"StopFailure","turn_id":"t"}`, false, false, false, "Codex has no such event that we know"},
		{`{"hook_event_name":"AfterAgent"}`, true, false, true, "Gemini"},
		{`{"hook_event_name":"BeforeTool"}`, false, true, true, "Gemini"},
		{`{"sessionId":"s","stopReason":"end_turn"}`, true, false, false, "Copilot CLI shows no message"},
		{`{"sessionId":"s","toolName":"bash","toolArgs":{}}`, false, true, false, "Copilot CLI"},
		{`{"hook_event_name":"stop","conversation_id":"c","status":"completed"}`, true, false, false, "Cursor prompts again, and shows nothing beside"},
		{`{"hook_event_name":"stop","conversation_id":"c","status":"error"}`, false, false, false, "Cursor, after an error"},
		{`{"agent_action_name":"post_cascade_response"}`, false, false, false, "Windsurf"},
	}
	for _, tt := range tests {
		ev, err := hookio.Decode([]byte(tt.payload), hookio.HostAuto)
		if err != nil {
			t.Fatal(err)
		}
		if ev.CanBlock() != tt.block || ev.CanDeny() != tt.deny || ev.ShowsMessage() != tt.shows {
			t.Errorf("%s: block %t, deny %t, shows %t: %s", tt.payload, ev.CanBlock(), ev.CanDeny(), ev.ShowsMessage(), tt.reason)
		}
	}
}

// A payload that reached a command installed for another host is answered as its
// own host wants it.
func TestDecode_WhereTheTranscriptLies(t *testing.T) {
	for path, want := range map[string]hookio.Host{
		"/home/dev/.claude/projects/p/s.jsonl":                          hookio.HostClaudeCode,
		"/srv/codex/sessions/2026/11/30/rollout-2026-11-30T23-27.jsonl": hookio.HostCodex,
		`C:\\Users\\dev\\.gemini\\tmp\\p\\chats\\session-1.jsonl`:       hookio.HostGemini,
		"/home/dev/.qwen/projects/p/chats/s.jsonl":                      hookio.HostQwen,
		"/home/dev/.copilot/session-state/s/events.jsonl":               hookio.HostCopilot,
		"/home/dev/.factory/sessions/p/s.jsonl":                         hookio.HostDroid,
		"/somewhere/else.jsonl":                                         hookio.HostClaudeCode,
	} {
		ev, err := hookio.Decode([]byte(`{"hook_event_name":"Stop","session_id":"s","transcript_path":"`+path+`"}`), hookio.HostAuto)
		if err != nil {
			t.Fatal(err)
		}
		if ev.Host != want {
			t.Errorf("%s: %s, want %s", path, ev.Host, want)
		}
	}
}
