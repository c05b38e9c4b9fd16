package hookio_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
	"pgregory.net/rapid"

	"github.com/stophook/stophook/policy/hookio"
)

// payloadOf is the payload that a host would write for an event: the way back.
func payloadOf(ev *hookio.Event) hookio.Payload {
	extra := gjson.ParseBytes(ev.Raw)
	p := hookio.Payload{
		Event: ev.Name, SessionID: ev.SessionID, TranscriptPath: ev.TranscriptPath, CWD: ev.CWD, PromptID: ev.PromptID,
		PermissionMode: ev.PermissionMode, Effort: extra.Get("effort.level").Str, AgentID: ev.AgentID, AgentType: ev.AgentType,
		AgentTranscriptPath: ev.AgentTranscriptPath, LastAssistantMessage: ev.LastAssistantMessage,
		BackgroundTasks: ev.BackgroundTasks, SessionCrons: ev.SessionCrons, ToolName: ev.ToolName, ToolInput: ev.ToolInput,
		ToolUseID: ev.ToolUseID, Prompt: ev.Prompt, Source: ev.Source, Model: extra.Get("model").Str,
		Reason: extra.Get("reason").Str, Trigger: extra.Get("trigger").Str, CustomInstructions: extra.Get("custom_instructions").Str,
		Message: extra.Get("message").Str, Title: extra.Get("title").Str, NotificationType: extra.Get("notification_type").Str,
		ToolResponse: json.RawMessage(extra.Get("tool_response").Raw),
	}
	if ms := extra.Get("duration_ms"); ms.Exists() {
		n := ms.Int()
		p.DurationMS = &n
	}
	if ev.StopHookActive != nil {
		p.StopHookActive = *ev.StopHookActive
	}
	return p
}

// Everything that the real client was recorded to send is what we write as its host,
// field by field and in its order (claude-code section 3).
func TestPayload_recorded(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "fixtures", "captures", "*", "stdin.json"))
	if err != nil || len(files) < 50 {
		t.Fatalf("%d captures (%v): a moved folder must not turn this green", len(files), err)
	}
	others, err := filepath.Glob(filepath.Join("testdata", "payloads", "claude-code", "v*.json"))
	if err != nil || len(others) < 6 {
		t.Fatalf("%d payloads of other events (%v)", len(others), err)
	}
	files = append(files, others...)
	for _, file := range files {
		recorded, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		ev, err := hookio.Decode(recorded, hookio.HostAuto)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		p := payloadOf(ev)
		ours, err := p.Encode()
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if diff := cmp.Diff(members(recorded), members(ours)); diff != "" {
			t.Errorf("%s differs (-client +ours):\n%s", file, diff)
		}
	}
}

// members are the members of an object in their order, values without layout.
func members(object []byte) []string {
	var list []string
	gjson.ParseBytes(object).ForEach(func(k, v gjson.Result) bool {
		list = append(list, k.Str+"="+v.Get("@ugly").Raw)
		return true
	})
	return list
}

func TestPayload_golden(t *testing.T) {
	text, number := "Done.", int64(12)
	base := hookio.Payload{SessionID: "s1", TranscriptPath: "/p/s1.jsonl", CWD: "/p", PromptID: "p1", PermissionMode: "default", Effort: "medium"}
	with := func(change func(*hookio.Payload)) hookio.Payload {
		p := base
		change(&p)
		return p
	}
	all := []hookio.Payload{
		with(func(p *hookio.Payload) {
			p.Event, p.LastAssistantMessage, p.BackgroundTasks, p.SessionCrons = hookio.Stop, &text, &[]hookio.BackgroundTask{}, json.RawMessage("[]")
		}),
		with(func(p *hookio.Payload) {
			p.Event, p.StopHookActive = hookio.Stop, true
			p.BackgroundTasks = &[]hookio.BackgroundTask{{ID: "b1", Type: "shell", Status: "running", Command: "make <all> && x"}}
		}),
		with(func(p *hookio.Payload) {
			p.Event, p.AgentID, p.AgentType, p.AgentTranscriptPath = hookio.SubagentStop, "a1", "general-purpose", "/p/s1/subagents/agent-a1.jsonl"
		}),
		with(func(p *hookio.Payload) {
			p.Event, p.ToolName, p.ToolInput, p.ToolUseID = hookio.PreToolUse, "Bash", json.RawMessage(`{"command":"ls <x>"}`), "t1"
		}),
		with(func(p *hookio.Payload) {
			p.Event, p.ToolName, p.ToolUseID, p.ToolResponse, p.DurationMS = hookio.PostToolUse, "Bash", "t1", json.RawMessage(`{"stdout":"x"}`), &number
			p.AgentID, p.AgentType = "a1", "general-purpose"
		}),
		with(func(p *hookio.Payload) { p.Event, p.Prompt = hookio.UserPromptSubmit, "build it, élève 🚀\u2028" }),
		with(func(p *hookio.Payload) { p.Event, p.Source, p.Model = hookio.SessionStart, "startup", "m" }),
		with(func(p *hookio.Payload) { p.Event, p.Reason = hookio.SessionEnd, "other" }),
		with(func(p *hookio.Payload) { p.Event, p.Trigger = hookio.PreCompact, "auto" }),
		with(func(p *hookio.Payload) {
			p.Event, p.Message, p.NotificationType = hookio.Notification, "waits", "idle_prompt"
		}),
	}
	var b strings.Builder
	for _, p := range all {
		out, err := p.Encode()
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(out, '\n'))
	}
	golden(t, "payload/claude-code.jsonl", []byte(b.String()))
}

func TestPayload_errors(t *testing.T) {
	if _, err := (&hookio.Payload{}).Encode(); !errors.Is(err, hookio.ErrNoEvent) {
		t.Errorf("%v", err)
	}
	p := hookio.Payload{Event: hookio.PreToolUse, ToolInput: json.RawMessage(`{"a":`)}
	if out, err := p.Encode(); err == nil || !strings.Contains(err.Error(), "tool_input is no JSON") || out != nil {
		t.Errorf("%q, %v", out, err)
	}
}

// What a host writes, a hook reads: any payload comes back as the event it was.
func TestPayload_propertyRoundTrip(t *testing.T) {
	names := []hookio.EventName{hookio.Stop, hookio.SubagentStop, hookio.PreToolUse, hookio.PostToolUse, hookio.UserPromptSubmit,
		hookio.SessionStart, hookio.SessionEnd, hookio.PreCompact, hookio.Notification}
	rapid.Check(t, func(t *rapid.T) {
		text := func(name string) string { return strings.ToValidUTF8(anyText().Draw(t, name), "\uFFFD") }
		p := hookio.Payload{Event: rapid.SampledFrom(names).Draw(t, "event"), SessionID: text("session"), TranscriptPath: "/t/" + text("path"),
			CWD: text("cwd"), PromptID: text("prompt id"), PermissionMode: "plan", ToolName: text("tool"), ToolUseID: text("id"),
			ToolInput: json.RawMessage(`{"a":[1,{"b":null}]}`), Prompt: text("prompt"), Source: text("source"), Reason: text("reason"), Message: text("message"), Effort: "high",
			AgentID: text("agent"), AgentType: text("type"), StopHookActive: rapid.Bool().Draw(t, "active")}
		if rapid.Bool().Draw(t, "has last") {
			last := text("last")
			p.LastAssistantMessage = &last
		}
		if rapid.Bool().Draw(t, "has tasks") {
			list := []hookio.BackgroundTask{}
			if rapid.Bool().Draw(t, "one") {
				list = append(list, hookio.BackgroundTask{ID: "b" + text("task"), Type: "shell", Command: text("command")})
			}
			p.BackgroundTasks = &list
		}
		raw, err := p.Encode()
		if err != nil {
			t.Fatal(err)
		}
		ev, err := hookio.Decode(raw, hookio.HostClaudeCode)
		if err != nil {
			t.Fatalf("%v in %q", err, raw)
		}
		again := payloadOf(ev)
		back, err := again.Encode()
		if err != nil || ev.Name != p.Event || len(ev.Odd) > 0 {
			t.Fatalf("%v, odd %v", err, ev.Odd)
		}
		if diff := cmp.Diff(members(raw), members(back)); diff != "" {
			t.Fatalf("(-written +read):\n%s", diff)
		}
	})
}
