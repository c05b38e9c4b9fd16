package policy

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stophook/stophook/policy/evidence"
	"github.com/stophook/stophook/policy/hookio"
	"github.com/stophook/stophook/transcript"
)

func TestAwait_CopilotWritesLate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.jsonl")
	called := time.Date(2026, 10, 5, 9, 0, 10, 0, time.UTC)
	write := func(at time.Time) {
		if err := os.WriteFile(path, []byte(`{"timestamp":"`+at.Format(time.RFC3339Nano)+`"}`+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name   string
		ev     hookio.Event
		after  int // pauses until the row is there; 0: from the start
		pauses int
		reason string
	}{
		{"there", hookio.Event{Host: hookio.HostCopilot, Timestamp: called, TranscriptPath: path}, 0, 0, "nothing to wait for"},
		{"late", hookio.Event{Host: hookio.HostCopilot, Timestamp: called, TranscriptPath: path}, 3, 3, "the row of this call ends the wait"},
		{"never", hookio.Event{Host: hookio.HostCopilot, Timestamp: called, TranscriptPath: path}, 1000, awaitTries, "the wait is bounded"},
		{"another host", hookio.Event{Host: hookio.HostCodex, Timestamp: called, TranscriptPath: path}, 1000, 0, "they write first"},
		{"no time", hookio.Event{Host: hookio.HostCopilot, TranscriptPath: path}, 1000, 0, "nothing tells what to wait for"},
		{"no file", hookio.Event{Host: hookio.HostCopilot, Timestamp: called, TranscriptPath: path + "x"}, 1000, 0, "there will be none"},
	}
	for _, tt := range tests {
		pauses := 0
		write(called.Add(-time.Second))
		if tt.after == 0 {
			write(called)
		}
		g := &Gate{Pause: func(time.Duration) {
			if pauses++; pauses == tt.after {
				write(called)
			}
		}}
		g.await(&tt.ev)
		if pauses != tt.pauses {
			t.Errorf("%s: %d pauses, want %d: %s", tt.name, pauses, tt.pauses, tt.reason)
		}
	}
}

func TestSessionFlag(t *testing.T) {
	tests := []struct {
		host hookio.Host
		id   string
		want string
	}{
		{hookio.HostClaudeCode, "s1", ""},
		{"", "s1", ""},
		{hookio.HostCodex, "01a2-b", " --session 01a2-b"},
		{hookio.HostGemini, "it's; rm -rf", ` --session 'it'\''s; rm -rf'`},
		{hookio.HostQwen, "", ""},
	}
	for _, tt := range tests {
		if got := sessionFlag(&hookio.Event{Host: tt.host, SessionID: tt.id}); got != tt.want {
			t.Errorf("%q %q: %q, want %q", tt.host, tt.id, got, tt.want)
		}
	}
}

func TestAskedByPerson(t *testing.T) {
	tests := []struct {
		host   hookio.Host
		prompt string
		want   bool
		reason string
	}{
		{hookio.HostQwen, "fix it", true, "a person's"},
		{hookio.HostQwen, " ", false, "a tool's result went back"},
		{hookio.HostGemini, "This turn cannot end yet:\n- x", false, "our own reason"},
		{hookio.HostCopilot, "stophook failed. This turn cannot end yet, because", false, "and its other form"},
		{hookio.HostClaudeCode, "", true, "Claude Code sends prompts only"},
	}
	for _, tt := range tests {
		if got := AskedByPerson(&hookio.Event{Host: tt.host, Prompt: tt.prompt}); got != tt.want {
			t.Errorf("%s %q: %t: %s", tt.host, tt.prompt, got, tt.reason)
		}
	}
}

// Where rows have no times, the order of the calls decides what a check proves (PO-1).
func TestProveTurn_PO1_Untimed(t *testing.T) {
	at := time.Date(2026, 10, 5, 9, 0, 0, 0, time.UTC)
	call := func(evidence string) transcript.ToolCall {
		return transcript.ToolCall{Name: "Shell", Command: "x", Evidence: evidence}
	}
	log := evidence.Log{Events: []evidence.Event{{Kind: evidence.PromptSubmitted, TS: at}, {Kind: evidence.EndTurnChecked, TS: at.Add(time.Minute), CheckID: "m3x8r2vd"}}}
	tests := []struct {
		name         string
		log          evidence.Log
		tools        []transcript.ToolCall
		check, stale bool
		reason       string
	}{
		{"last", log, []transcript.ToolCall{call(""), call("status")}, true, false, "nothing came behind it"},
		{"task behind", log, []transcript.ToolCall{call("status"), call("task")}, true, false, "evidence is no other work"},
		{"work behind", log, []transcript.ToolCall{call("status"), call("")}, false, true, "the check is older than the work"},
		{"none in the turn", log, []transcript.ToolCall{call("")}, false, false, "the ledger's is an earlier turn's"},
		{"before the prompt", evidence.Log{Events: []evidence.Event{log.Events[1], {Kind: evidence.PromptSubmitted, TS: at.Add(time.Hour)}}},
			[]transcript.ToolCall{call("status")}, false, false, "the prompt that our hook noted begins the turn"},
	}
	for _, tt := range tests {
		got := proveTurn(tt.log, transcript.Turn{Untimed: true, Complete: true, Tools: tt.tools}, "")
		if (got.check != nil) != tt.check || (got.stale != nil) != tt.stale {
			t.Errorf("%s: check %v, stale %v: %s", tt.name, got.check != nil, got.stale != nil, tt.reason)
		}
	}
}

// A block does not end the cycle where the host names the turn, even when no
// transcript can be read (D-38).
func TestCycle_D38_HostNamesTheTurn(t *testing.T) {
	f := &Facts{Event: &hookio.Event{Host: hookio.HostCodex, PromptID: "turn-1"}, Session: &transcript.Session{}}
	if f.cycle() != "turn-1" {
		t.Errorf("cycle %q", f.cycle())
	}
	f.Event.Host = hookio.HostClaudeCode
	if f.cycle() != "" {
		t.Errorf("cycle %q: Claude Code's prompts are known by their rows", f.cycle())
	}
}

func TestNotFiled(t *testing.T) {
	code := func(n int) *int { return &n }
	tests := []struct {
		tools  []transcript.ToolCall
		want   bool
		reason string
	}{
		{nil, false, "no check was tried"},
		{[]transcript.ToolCall{{Evidence: "status", ExitCode: code(ExitNotFiled)}, {}}, true, "the latest evidence command counts, whatever came behind it"},
		{[]transcript.ToolCall{{Evidence: "status", ExitCode: code(1)}}, false, "a refusal is the agent's to repair"},
		{[]transcript.ToolCall{{Evidence: "task", ExitCode: code(ExitNotFiled)}, {Evidence: "status"}}, false, "the later one worked"},
		{[]transcript.ToolCall{{Command: "exit 3", ExitCode: code(ExitNotFiled)}}, false, "no evidence command"},
	}
	for _, tt := range tests {
		if got := notFiled(&transcript.Turn{Tools: tt.tools}); got != tt.want {
			t.Errorf("%+v: %t: %s", tt.tools, got, tt.reason)
		}
	}
}
