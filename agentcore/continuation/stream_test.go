package continuation_test

import (
	"testing"

	"github.com/stophook/stophook/agentcore/continuation"
)

func TestStream_AC166_foldsTheCallsOfTheStream(t *testing.T) {
	t.Parallel()
	const begin = `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make","run_in_background":true}}]}}`
	tests := []struct {
		reason string
		lines  []string
		want   int
	}{
		{"a launch", []string{begin}, 1},
		{"the same call again, as a resumed run may print it", []string{begin, begin}, 1},
		{"another one", []string{begin, `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t2","name":"Bash","input":{"run_in_background":true}}]}}`}, 2},
		{"calls without ids are told apart by nothing", []string{
			`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{"run_in_background":true}},{"type":"tool_use","name":"Bash","input":{"run_in_background":true}}]}}`}, 2},
		{"collected", []string{begin, `{"type":"assistant","message":{"content":[{"type":"text","text":"so"},{"type":"tool_use","id":"t2","name":"Read","input":{"file_path":"/p/u/tasks/b1.output"}}]}}`}, 0},
		{"of a subagent", []string{`{"type":"assistant","parent_tool_use_id":"x","message":{"content":[{"type":"tool_use","id":"t2","name":"Bash","input":{"run_in_background":true}}]}}`}, 1},
		{"text that looks like one", []string{`{"type":"assistant","message":{"content":[{"type":"text","text":"{\"run_in_background\": true}"}]}}`}, 0},
		{"content that is a string", []string{`{"type":"assistant","message":{"content":"run_in_background"}}`}, 0},
		{"a user's line", []string{`{"type":"user","message":{"content":[{"type":"tool_use","id":"t2","name":"Bash","input":{"run_in_background":true}}]}}`}, 0},
		{"deltas are not calls", []string{`{"type":"stream_event","event":{"type":"content_block_start"}}`}, 0},
		{"noise", []string{"", "  ", "[1]", "npm WARN", `{"type":`, `{"type":7}`, `{"type":"assistant"}`, "null"}, 0},
	}
	for _, tt := range tests {
		var s continuation.Stream
		for _, line := range tt.lines {
			if r := s.Line([]byte(line)); r != nil {
				t.Errorf("%s: %s ended the run: %+v", tt.reason, line, r)
			}
		}
		if got := s.Calls.Outstanding(); got != tt.want {
			t.Errorf("%s: owes %d, want %d", tt.reason, got, tt.want)
		}
	}
}

func TestStream_AC159_result(t *testing.T) {
	t.Parallel()
	tests := []struct {
		reason, line string
		want         continuation.Ending
	}{
		{"a success", `{"type":"result","subtype":"success","is_error":false,"num_turns":4,"session_id":"s","result":"Done."}`, continuation.Success},
		{"an API error that is called a success", `{"type":"result","subtype":"success","is_error":true,"num_turns":1}`, continuation.ErrorDuringExecution},
		{"the limit on turns", ` {"type":"result","subtype":"error_max_turns","is_error":true,"num_turns":4}` + "\r\n", continuation.ErrorMaxTurns},
		{"a subtype nobody knows", `{"type":"result","subtype":"paused"}`, "paused"},
		{"no subtype", `{"type":"result"}`, ""},
		{"another shape", `{"type":"result","subtype":7}`, ""},
	}
	for _, tt := range tests {
		var s continuation.Stream
		r := s.Line([]byte(tt.line))
		if r == nil || r.Ending() != tt.want {
			t.Errorf("%s: %+v, want %q", tt.reason, r, tt.want)
		}
	}
}

func FuzzStream(f *testing.F) {
	f.Add([]byte(`{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":"{\"run_in_background\":true}"}]}}`))
	f.Add([]byte(`{"type":"result","subtype":"success","num_turns":1e400}`))
	f.Add([]byte(`{"type":"assistant","message":{"content":[{"type":"tool_use","input":null}]}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		var s continuation.Stream
		s.Line(line)
		r := s.Line(line)
		if s.Calls.Outstanding() < 0 {
			t.Error("a negative debt")
		}
		if r != nil {
			step := continuation.NewTurn(continuation.Policy{Dialect: continuation.Claude}, &s.Calls).
				Ended(continuation.Outcome{Ending: r.Ending(), Turns: r.Turns, Requested: 200})
			if (step.Prompt == "") != step.Over() {
				t.Errorf("a step without a prompt: %+v", step)
			}
		}
	})
}
