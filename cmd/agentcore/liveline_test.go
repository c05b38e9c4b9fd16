package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stophook/stophook/agentcore"
	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/internal/term"
)

// The line says what the agent is at, never wraps, and is wiped whole.
func TestLiveLine(t *testing.T) {
	var out bytes.Buffer
	at := time.Date(2026, 10, 5, 9, 0, 0, 0, time.UTC)
	l := &liveLine{out: &out, now: func() time.Time { return at }, began: at, stop: make(chan struct{})}
	shown := func(events ...agentcore.Event) string {
		out.Reset()
		for _, e := range events {
			at = at.Add(time.Second)
			l.event(e)
		}
		lines := strings.Split(out.String(), "\r")
		return strings.TrimRight(lines[len(lines)-1], " ")
	}
	long := json.RawMessage(`{"command":"` + strings.Repeat("x ", 200) + `"}`)
	for _, test := range []struct {
		want   string
		events []agentcore.Event
	}{
		{"turn 1  0 tokens  1s  thinking", []agentcore.Event{{Kind: agentcore.EventTurnStart, Turn: 1}}},
		{"turn 1  0 tokens  2s  answering, 5 characters", []agentcore.Event{{Kind: agentcore.EventText, Text: "12345"}}},
		{"turn 1  1,234 tokens  4s  shell go test", []agentcore.Event{{Kind: agentcore.EventMessage, Usage: &model.Usage{InputTokens: 1234}},
			{Kind: agentcore.EventToolStart, CallID: "a", Tool: "shell", Input: json.RawMessage(`{"command":"go test"}`)}}},
		{"turn 1  1,234 tokens  5s  2 calls, grep tpyo README.md", []agentcore.Event{
			{Kind: agentcore.EventToolStart, CallID: "b", Tool: "grep", Input: json.RawMessage(`{"pattern":"tpyo","path":"README.md"}`)}}},
		{"turn 1  1,234 tokens  6s  grep tpyo README.md", []agentcore.Event{{Kind: agentcore.EventToolResult, CallID: "a"}}},
		{"turn 2  1,234 tokens  8s  thinking", []agentcore.Event{{Kind: agentcore.EventToolResult, CallID: "b"}, {Kind: agentcore.EventTurnStart, Turn: 2}}},
	} {
		if got := shown(test.events...); got != strings.ReplaceAll(test.want, "1,234", term.Count(1234)) {
			t.Errorf("line %q, want %q", got, test.want)
		}
	}
	if got := shown(agentcore.Event{Kind: agentcore.EventToolStart, CallID: "c", Tool: "shell", Input: long}); len(got) > liveWidth+2 { // an ellipsis has three bytes
		t.Errorf("the line has %d bytes: %q", len(got), got)
	}
	out.Reset()
	l.close()
	if got := out.String(); strings.Trim(got, " \r") != "" || len(got) < liveWidth {
		t.Errorf("wiped with %q", got)
	}
	var none *liveLine
	none.event(agentcore.Event{Kind: agentcore.EventTurnStart})
	none.clear()
	none.close()
}
