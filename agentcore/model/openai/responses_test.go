package openai

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/agentcore/model"
)

func TestResponses(t *testing.T) {
	const completed = `
		{"type":"response.completed","response":{"id":"resp_1","model":"m-1","status":"completed","output":[],"error":null,"incomplete_details":null}}`
	for _, tt := range []answerCase{
		{"reasoning, text with a phase, two calls in pieces", `
			response.created {"type":"response.created","response":{"id":"resp_1","model":"m-1","error":null}}
			{"type":"response.output_item.added","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"half"}}
			{"type":"response.reasoning_summary_part.added","output_index":0,"summary_index":0,"part":{}}
			{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":0,"delta":"Hm"}
			{"type":"response.reasoning_summary_part.added","output_index":0,"summary_index":1,"part":{}}
			{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":1,"delta":"so"}
			{"type":"response.output_item.done","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"Hm"},{"type":"summary_text","text":"so"}],"content":null,"encrypted_content":"whole","status":"completed"}}
			{"type":"response.output_item.added","output_index":1,"item":{"id":"msg_1","type":"message","role":"assistant","content":[],"phase":"commentary"}}
			{"type":"response.content_part.added","output_index":1,"content_index":0,"part":{"type":"output_text","text":""}}
			{"type":"response.output_text.delta","output_index":1,"content_index":0,"delta":"I "}
			{"type":"response.output_text.delta","output_index":1,"content_index":0,"delta":"look."}
			{"type":"response.output_text.done","output_index":1,"content_index":0,"text":"I look."}
			{"type":"response.output_item.done","output_index":1,"item":{"id":"msg_1","type":"message","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"I look.","annotations":[]}]}}
			{"type":"response.output_item.added","output_index":2,"item":{"id":"fc_1","type":"function_call","call_id":"call_1","name":"shell","arguments":""}}
			{"type":"response.output_item.added","output_index":3,"item":{"id":"fc_2","type":"function_call","call_id":"call_2","name":"now","arguments":""}}
			{"type":"response.function_call_arguments.delta","output_index":2,"delta":"{\"z\":"}
			{"type":"response.function_call_arguments.delta","output_index":3,"delta":"{}"}
			{"type":"response.function_call_arguments.delta","output_index":2,"delta":"1}"}
			{"type":"response.function_call_arguments.done","output_index":2,"arguments":"{\"z\":1}"}
			{"type":"response.output_item.done","output_index":2,"item":{"id":"fc_1","type":"function_call","call_id":"call_1","name":"shell","arguments":"{\"z\":1}"}}
			{"type":"response.output_item.done","output_index":3,"item":{"id":"fc_2","type":"function_call","call_id":"call_2","name":"now","arguments":"{}"}}` + completed,
			model.StopToolUse,
			`[{"type":"thinking","thinking":"Hm\n\nso","signature":"","openai_item":{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"Hm"},{"type":"summary_text","text":"so"}],"encrypted_content":"whole"}},` +
				`{"type":"text","text":"I look.","phase":"commentary"},` +
				`{"type":"tool_use","id":"call_1","name":"shell","input":{"z":1}},{"type":"tool_use","id":"call_2","name":"now","input":{}}]`,
			"thinking0:Hm thinking0:\n\n thinking0:so text1:I  text1:look. call2:call_1/shell call3:call_2/now input2:{\"z\": input3:{} input2:1}"},
		{"items only when done", `
			{"type":"response.output_item.done","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[{"text":"a"},{"text":"b"}],"encrypted_content":"e"}}
			{"type":"response.output_item.done","output_index":1,"item":{"type":"message","content":[{"type":"output_text","text":""},{"type":"output_text","text":"x"},{"type":"output_text","text":"y"}]}}
			{"type":"response.output_item.done","output_index":2,"item":{"type":"function_call","call_id":"call_1","name":"a","arguments":""}}` + completed,
			model.StopToolUse,
			`[{"type":"thinking","thinking":"a\n\nb","signature":"","openai_item":{"id":"rs_1","type":"reasoning","summary":[{"text":"a"},{"text":"b"}],"encrypted_content":"e"}},` +
				`{"type":"text","text":"x"},{"type":"text","text":"y"},{"type":"tool_use","id":"call_1","name":"a","input":{}}]`,
			"thinking0:a\n\nb text1:x text2:y call3:call_1/a"},
		{"items only at the end, and reasoning in the open",
			`{"type":"response.completed","response":{"output":[{"type":"reasoning","id":"rs_1","content":[{"type":"reasoning_text","text":"open"}]},` +
				`{"type":"message","content":[{"type":"output_text","text":"x"}]}]}}`,
			model.StopEndTurn,
			`[{"type":"thinking","thinking":"open","signature":"","openai_item":{"type":"reasoning","id":"rs_1","content":[{"type":"reasoning_text","text":"open"}]}},{"type":"text","text":"x"}]`,
			"thinking0:open text1:x"},
		{"a text that ends another way than it was shown", `
			{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"abc"}
			{"type":"response.output_item.done","output_index":0,"item":{"type":"message","content":[{"type":"output_text","text":"abX"}]}}` + completed,
			model.StopEndTurn, `[{"type":"text","text":"abX"}]`, "text0:abc"},
		{"a refusal", `
			{"type":"response.refusal.delta","output_index":0,"content_index":0,"delta":"I can"}
			{"type":"response.output_item.done","output_index":0,"item":{"type":"message","content":[{"type":"refusal","refusal":"I cannot."}]}}` + completed,
			model.StopRefusal, `[{"type":"text","text":"I cannot."}]`, "text0:I can text0:not."},
		{"unknown events and items", `
			{"type":"response.new","output_index":"x","delta":{}}
			{"type":"response.audio.delta","delta":7}
			{"foo":"bar"}
			{"type":"response.output_item.added","output_index":0,"item":{"type":"web_search_call","id":"ws_1","status":"in_progress"}}
			{"type":"response.output_item.done","output_index":0,"item":{"type":"web_search_call","id":"ws_1","status":"completed","action":{"q":1.0}}}` + completed,
			model.StopEndTurn, `[{"type":"openai_item","openai_item":{"type":"web_search_call","id":"ws_1","action":{"q":1.0}}}]`, ""},
		{"names from the events only", `
			response.output_text.delta {"output_index":0,"content_index":0,"delta":"a"}
			response.completed {"response":{}}`,
			model.StopEndTurn, `[{"type":"text","text":"a"}]`, "text0:a"},
		{"too long", `
			{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"a"}
			{"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"}}}`,
			model.StopMaxTokens, `[{"type":"text","text":"a"}]`, "text0:a"},
		{"filtered", `{"type":"response.incomplete","response":{"incomplete_details":{"reason":"content_filter"}}}`, model.StopRefusal, `[]`, ""},
		{"another reason", `{"type":"response.incomplete","response":{"incomplete_details":{"reason":"steered"}}}`, "steered", `[]`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) { tt.check(t, newResponses()) })
	}
}

func TestResponses_failures(t *testing.T) {
	for _, tt := range []failureCase{
		{`{"type":"error","code":"rate_limit_exceeded","message":"slow","param":null,"sequence_number":1}`, model.KindRateLimited, "slow"},
		{`error {"type":"error","error":{"type":"insufficient_quota","code":"insufficient_quota","message":"pay"}}`, model.KindUsageLimit, "pay"},
		{`error nonsense`, model.KindServer, "nonsense"},
		{`{"error":{"message":"bare","code":"server_error"}}`, model.KindServer, "bare"},
		{`{"type":"response.failed","response":{"id":"resp_1","error":{"code":"server_error","message":"oops"}}}`, model.KindServer, "oops"},
		{`{"type":"response.failed","response":{"error":{"code":"context_length_exceeded","message":"full"}}}`, model.KindContextTooLong, "full"},
		{`{"type":"response.failed"}`, model.KindServer, ""},
		{`{"type":"response.cancelled","response":{}}`, model.KindIncomplete, "cancelled"},
		{`{"type":`, model.KindIncomplete, "cannot be read"},
		{`{"type":"response.output_text.delta","output_index":"x"}`, model.KindIncomplete, "cannot be read"},
		{`{"type":"response.completed","response":{"usage":7}}`, model.KindIncomplete, "a response that cannot be read"},
		{`{"type":"response.function_call_arguments.delta","output_index":4,"delta":"x"}`, model.KindIncomplete, "did not begin"},
		{`{"type":"response.output_item.added","output_index":0,"item":7}`, model.KindIncomplete, "item 0"},
		{`{"type":"response.output_item.added","output_index":0,"item":{"type":"message","content":7}}`, model.KindIncomplete, "item 0"},
		{`{"type":"response.output_text.delta","output_index":0,"delta":"x"}
			{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call"}}`, model.KindIncomplete, `as "message" and as "function_call"`},
	} {
		tt.check(t, newResponses())
	}
}

func TestResponses_usage(t *testing.T) {
	for usage, want := range map[string]*model.Usage{
		`{"input_tokens":100,"input_tokens_details":{"cached_tokens":60,"cache_write_tokens":30},"output_tokens":7,"output_tokens_details":{"reasoning_tokens":5},"total_tokens":107}`: {InputTokens: 10, OutputTokens: 7, CacheReadInputTokens: 60, CacheCreationInputTokens: 30},
		`{"input_tokens":5,"input_tokens_details":{"cached_tokens":9},"output_tokens":-1}`:                                                                                             {CacheReadInputTokens: 9},
		`{"input_tokens":5,"input_tokens_details":null}`:                                                                                                                               {InputTokens: 5},
		`null`: nil,
	} {
		_, m, err := feed(newResponses(), `{"type":"response.completed","response":{"id":"resp_1","model":"m-1","usage":`+usage+`}}`)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&model.Message{ID: "resp_1", Model: "m-1", Role: model.RoleAssistant, StopReason: model.StopEndTurn, Usage: want}, m); diff != "" {
			t.Errorf("%s (-want +got):\n%s", usage, diff)
		}
	}
}

// Text so far is kept, of other blocks only the finished ones.
func TestResponses_partial(t *testing.T) {
	a := newResponses()
	if a.Partial() != nil {
		t.Error("nothing has come")
	}
	if _, _, err := feed(a, `
		{"type":"response.created","response":{"id":"resp_1","model":"m-1"}}
		{"type":"response.reasoning_summary_text.delta","output_index":0,"delta":"Hm"}
		{"type":"response.output_text.delta","output_index":1,"content_index":0,"delta":"ab"}
		{"type":"response.output_item.done","output_index":2,"item":{"type":"function_call","call_id":"call_1","name":"a","arguments":"{}"}}
		{"type":"response.output_item.added","output_index":3,"item":{"type":"function_call","call_id":"call_2","name":"a","arguments":"{}"}}`); err != nil {
		t.Fatal(err)
	}
	want := &model.Message{ID: "resp_1", Model: "m-1", Role: model.RoleAssistant, Content: []model.Block{model.Text("ab"), call("call_1", "a", "{}")}}
	if diff := cmp.Diff(want, a.Partial()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
