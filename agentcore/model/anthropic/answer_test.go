package anthropic

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/stophook/stophook/agentcore/model"
)

// feed gives an answer events, written one a line as "name data" or "data", and
// returns what it made of them.
func feed(a *answer, script string) (shown []model.Event, final *model.Message, err error) {
	emit := func(e model.Event) bool { shown = append(shown, e); return true }
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		name, data := "", line
		if !strings.HasPrefix(line, "{") {
			name, data, _ = strings.Cut(line, " ")
		}
		if final, err = a.Take(name, []byte(data+"\n"), emit); final != nil || err != nil {
			return shown, final, err
		}
	}
	return shown, nil, nil
}

func newAnswer() *answer {
	return &answer{header: func(string) string { return "" }, now: func() time.Time { return time.Unix(0, 0) }}
}

const begin = `
{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m-1","content":[],"stop_reason":null,"usage":{"input_tokens":10,"cache_creation_input_tokens":7,"cache_read_input_tokens":5,"output_tokens":1}}}
`

const end = `
{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":42}}
{"type":"message_stop"}
`

func TestAnswer(t *testing.T) {
	for _, tt := range []struct {
		name, script string
		want         string // content of the message, as JSON
		shown        string // deltas, joined
	}{
		{"names from the events only", `
			ping {}
			message_start {"message":{"id":"msg_1","model":"m-1","usage":{"input_tokens":10,"cache_creation_input_tokens":7,"cache_read_input_tokens":5}}}
			content_block_start {"index":0,"content_block":{"type":"text","text":"a"}}
			ping {"type":"ping"}
			content_block_delta {"index":0,"delta":{"type":"text_delta","text":"b"}}
			new_event {"type":"new_event","index":"x"}
			content_block_stop {"index":0}
			message_delta {"delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":42,"input_tokens":null}}
			message_stop {}`,
			`[{"type":"text","text":"ab"}]`, "text0:a text0:b"},
		{"blocks side by side, one of them not ended", begin + `
			{"type":"content_block_start","index":3,"content_block":{"type":"text","text":"","citations":null}}
			{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"shell","input":{}}}
			{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":""}}
			{"type":"content_block_delta","index":3,"delta":{"type":"text_delta","text":"é"}}
			{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"z\":"}}
			{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":" 1}"}}
			{"type":"content_block_stop","index":1}
			{"type":"content_block_stop","index":7}` + end,
			`[{"type":"text","text":"é"},{"type":"tool_use","id":"toolu_1","name":"shell","input":{"z": 1}}]`,
			`call1:toolu_1/shell text0:é input1:{"z": input1: 1}`},
		{"an input that came whole, and none", begin + `
			{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"a","input":{"z":1.0}}}
			{"type":"content_block_stop","index":0}
			{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_2","name":"b"}}
			{"type":"content_block_stop","index":1}` + end,
			`[{"type":"tool_use","id":"toolu_1","name":"a","input":{"z":1.0}},{"type":"tool_use","id":"toolu_2","name":"b","input":{}}]`,
			`call0:toolu_1/a input0:{"z":1.0} call1:toolu_2/b`},
		{"thinking", begin + `
			{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}
			{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm","estimated_tokens":7}}
			{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":" <"}}
			{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2"}}
			{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"ln"}}
			{"type":"content_block_stop","index":0}
			{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"b3A="}}
			{"type":"content_block_stop","index":1}` + end,
			`[{"type":"thinking","thinking":"Hm <","signature":"c2ln"},{"type":"redacted_thinking","data":"b3A="}]`,
			"thinking0:Hm thinking0: <"},
		{"citations, and fields that are unknown", begin + `
			{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"","new":1.0}}
			{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}
			{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"x":1}}}
			{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"x": 2}}}
			{"type":"content_block_stop","index":0}` + end,
			`[{"type":"text","text":"a","new":1.0,"citations":[{"x":1},{"x":2}]}]`, "text0:a"},
		{"blocks of unknown kinds", begin + `
			{"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}}
			{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"q\":1}"}}
			{"type":"content_block_stop","index":0}
			{"type":"content_block_start","index":1,"content_block":{"type":"web_search_tool_result", "tool_use_id":"srvtoolu_1","content":[{"e":"x"}],"n":null}}
			{"type":"content_block_stop","index":1}
			{"type":"content_block_start","index":2,"content_block":{"type":"compaction","content":null}}
			{"type":"content_block_delta","index":2,"delta":{"type":"compaction_delta","content":"a"}}
			{"type":"content_block_delta","index":2,"delta":{"type":"compaction_delta","content":"b","n":7,"m":null,"text":{}}}
			{"type":"content_block_stop","index":2}` + end,
			`[{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"q":1}},` +
				`{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"e":"x"}],"n":null},` +
				`{"type":"compaction","content":"ab","n":7,"text":{}}]`, ""},
		{"nothing", begin + end, `[]`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			shown, m, err := feed(newAnswer(), tt.script)
			if err != nil || m == nil {
				t.Fatalf("got %v, %v", m, err)
			}
			var content []byte
			for i, b := range m.Content {
				if content, err = b.AppendJSON(append(content, "[,"[min(i, 1)])); err != nil {
					t.Fatal(err)
				}
			}
			if len(content) == 0 {
				content = []byte("[")
			}
			if diff := cmp.Diff(tt.want, string(append(content, ']'))); diff != "" {
				t.Errorf("content (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.shown, show(shown)); diff != "" {
				t.Errorf("shown (-want +got):\n%s", diff)
			}
			want := &model.Message{
				ID: "msg_1", Role: model.RoleAssistant, Model: "m-1", StopReason: model.StopEndTurn,
				Usage: &model.Usage{InputTokens: 10, OutputTokens: 42, CacheCreationInputTokens: 7, CacheReadInputTokens: 5},
			}
			if diff := cmp.Diff(want, m, cmpopts.IgnoreFields(model.Message{}, "Content")); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
		})
	}
}

// show writes deltas to be compared.
func show(events []model.Event) string {
	var all []string
	for _, e := range events {
		at := string(rune('0' + e.Block))
		switch {
		case e.ToolUse != nil:
			all = append(all, "call"+at+":"+e.ToolUse.ID+"/"+e.ToolUse.Name)
		case e.Text != "":
			all = append(all, "text"+at+":"+e.Text)
		case e.Thinking != "":
			all = append(all, "thinking"+at+":"+e.Thinking)
		default:
			all = append(all, "input"+at+":"+e.Input)
		}
	}
	return strings.Join(all, " ")
}

// Input is what the model sent, also when that is no object: the loop answers it
// with an error that the model can act on.
func TestAnswer_inputThatIsNoObject(t *testing.T) {
	for _, sent := range []string{`{"z": "a`, `[1]`, `"x"`, `nonsense`, `{"z":1}}`} {
		delta, err := json.Marshal(sent)
		if err != nil {
			t.Fatal(err)
		}
		_, m, err := feed(newAnswer(), begin+`
			{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"shell","input":{},"caller":{"type":"direct"}}}
			{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":`+string(delta)+`}}
			{"type":"message_delta","delta":{"stop_reason":"max_tokens"}}
			{"type":"message_stop"}`)
		if err != nil {
			t.Fatal(err)
		}
		b := m.Content[0]
		if string(b.Input) != sent || m.StopReason != model.StopMaxTokens {
			t.Errorf("input %q, stop %s, want %q", b.Input, m.StopReason, sent)
		}
		back, err := b.AppendJSON(nil)
		if err != nil || !strings.Contains(string(back), `"input":{"invalid_input":`) || !strings.Contains(string(back), `"caller":`) {
			t.Errorf("it goes back as %s, %v", back, err)
		}
	}
}

func TestAnswer_stopReasons(t *testing.T) {
	const use = `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"a","input":{}}}` + "\n"
	for _, tt := range []struct {
		script string
		want   model.StopReason
	}{
		{`{"type":"message_delta","delta":{"stop_reason":"refusal","stop_details":{"x":1}}}`, model.StopRefusal},
		{`{"type":"message_delta","delta":{"stop_reason":"pause_turn"}}`, model.StopPauseTurn},
		{`{"type":"message_delta","delta":{"stop_reason":"model_context_window_exceeded"}}`, model.StopContextLimit},
		{`{"type":"message_delta","delta":{"stop_reason":"something_new"}}`, "something_new"},
		{`{"type":"message_delta","delta":{"stop_reason":null}}`, model.StopEndTurn},
		{`{"type":"message_delta"}`, model.StopEndTurn},
		{use, model.StopToolUse},
	} {
		_, m, err := feed(newAnswer(), begin+tt.script+"\n"+`{"type":"message_stop"}`)
		if err != nil || m.StopReason != tt.want {
			t.Errorf("%s: %+v, %v, want %s", tt.script, m, err, tt.want)
		}
	}
}

func TestAnswer_failures(t *testing.T) {
	for _, tt := range []struct {
		script string
		kind   model.Kind
		text   string
	}{
		{`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}`, model.KindOverloaded, "Overloaded [request req_1]"},
		{`error {"error":{"type":"rate_limit_error","message":"slow down"}}`, model.KindRateLimited, "slow down"},
		{`error {"type":"error","error":{"type":"api_error","message":"Internal"}}`, model.KindServer, "Internal"},
		{`error {"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 1 > 0"}}`, model.KindContextTooLong, "too long"},
		{`error nonsense`, model.KindServer, "nonsense"},
		{`{"type":"error","error":"text"}`, model.KindServer, "text"},
		{`{"type":`, model.KindIncomplete, "cannot be read"},
		{`{"type":"message_stop"}`, model.KindIncomplete, "no beginning"},
		{begin + `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}`, model.KindIncomplete, "did not begin"},
		{begin + `{"type":"content_block_start","index":0}`, model.KindIncomplete, "block 0 that cannot be read"},
		{begin + `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a"}}
			{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a"}}`, model.KindIncomplete, "block 0 twice"},
		{begin + `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a"}}
			{"type":"content_block_delta","index":0,"delta":7}`, model.KindIncomplete, "a piece of block 0"},
		{begin + `{"type":"message_delta","delta":{"stop_reason":7}}`, model.KindIncomplete, "an end that"},
	} {
		_, m, err := feed(newAnswer(), tt.script)
		var e *model.Error
		if !errors.As(err, &e) || e.Kind != tt.kind || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%s\ngot %v, %v, want an error of kind %s with %q", tt.script, m, err, tt.kind, tt.text)
		}
	}
}

// Text so far is kept, of other blocks only the finished ones, and the usage.
func TestAnswer_partial(t *testing.T) {
	a := newAnswer()
	if a.Partial() != nil {
		t.Error("nothing has come")
	}
	if _, _, err := feed(a, begin+`
		{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"Hm","signature":"s"}}
		{"type":"content_block_stop","index":0}
		{"type":"content_block_start","index":1,"content_block":{"type":"text","text":"a"}}
		{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"b"}}
		{"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}}
		{"type":"content_block_start","index":3,"content_block":{"type":"thinking","thinking":"x"}}
		{"type":"content_block_start","index":4,"content_block":{"type":"tool_use","id":"toolu_1","name":"a","input":{}}}
		{"type":"content_block_delta","index":4,"delta":{"type":"input_json_delta","partial_json":"{}"}}
		{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":42,"input_tokens":-1}}`); err != nil {
		t.Fatal(err)
	}
	want := &model.Message{
		ID: "msg_1", Role: model.RoleAssistant, Model: "m-1",
		Content: []model.Block{{Type: model.BlockThinking, Thinking: "Hm", Signature: "s"}, model.Text("ab")},
		Usage:   &model.Usage{InputTokens: 10, OutputTokens: 42, CacheCreationInputTokens: 7, CacheReadInputTokens: 5},
	}
	if diff := cmp.Diff(want, a.Partial()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
