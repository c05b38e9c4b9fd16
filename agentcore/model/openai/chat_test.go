package openai

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/agentcore/model"
)

func TestChat(t *testing.T) {
	for _, tt := range []answerCase{
		{"text", `
			{"id":"c-1","model":"m-1","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"error":null,"usage":null}
			{"id":"c-1","choices":[{"index":0,"delta":{"content":"a"}},{"index":1,"delta":{"content":"other"}}]}
			{"id":"c-1","choices":[{"index":0,"delta":{"content":"b"}}]}
			{"id":"c-1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}
			{"id":"c-1","choices":[],"usage":{"prompt_tokens":1}}
			[DONE]`, model.StopEndTurn, `[{"type":"text","text":"ab"}]`, "text0:a text0:b"},
		{"two calls in pieces, mixed", `
			{"id":"c-1","choices":[{"index":0,"delta":{"content":null,"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"shell","arguments":""}}]}}]}
			{"id":"c-1","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_2","function":{"name":"now","arguments":"{"}},{"index":0,"function":{"arguments":"{\"z\":"}}]}}]}
			{"id":"c-1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","function":{"arguments":"1}"}},{"index":1,"id":null,"function":{"name":null,"arguments":"}"}}]}}]}
			{"id":"c-1","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}
			[DONE]`, model.StopToolUse,
			`[{"type":"tool_use","id":"call_1","name":"shell","input":{"z":1}},{"type":"tool_use","id":"call_2","name":"now","input":{}}]`,
			`call0:call_1/shell call1:call_2/now input1:{ input0:{"z": input0:1} input1:}`},
		{"reasoning under both names", `
			{"choices":[{"delta":{"reasoning_content":"H"}}]}
			{"choices":[{"delta":{"reasoning":"m","reasoning_content":null}}]}
			{"choices":[{"delta":{"content":"x","reasoning":{"not":"text"}},"finish_reason":"stop"}]}
			[DONE]`, model.StopEndTurn, `[{"type":"thinking","thinking":"Hm","signature":""},{"type":"text","text":"x"}]`, "thinking0:H thinking0:m text1:x"},
		{"servers of their own kind: one index for all calls", `
			{"id":"c-1","choices":[{"delta":{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"a","arguments":{"z": 1}}}]}}]}
			{"id":"c-1","choices":[{"delta":{"tool_calls":[{"index":0,"id":"call_2","function":{"name":"b","arguments":"{}"}}]},"finish_reason":"stop"}]}
			[DONE]`, model.StopToolUse,
			`[{"type":"tool_use","id":"call_1","name":"a","input":{"z": 1}},{"type":"tool_use","id":"call_2","name":"b","input":{}}]`, "-"},
		{"servers of their own kind: content as a list", `
			{"choices":[{"delta":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},"finish_reason":"stop"}]}
			[DONE]`, model.StopEndTurn, `[{"type":"text","text":"ab"}]`, "text0:ab"},
		{"a refusal", `
			{"choices":[{"delta":{"refusal":"I cannot."},"finish_reason":"stop"}]}
			[DONE]`, model.StopRefusal, `[{"type":"text","text":"I cannot."}]`, "-"},
		{"filtered", `
			{"choices":[{"delta":{"content":"a"},"finish_reason":"content_filter"}]}
			[DONE]`, model.StopRefusal, `[{"type":"text","text":"a"}]`, "-"},
		{"too long", `
			{"choices":[{"delta":{"content":"a"},"finish_reason":"length"}]}
			[DONE]`, model.StopMaxTokens, `[{"type":"text","text":"a"}]`, "-"},
		{"another reason", `
			{"choices":[{"delta":{},"finish_reason":"eos"}]}
			[DONE]`, "eos", `[]`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) { tt.check(t, newChat()) })
	}
}

// A call without an id gets one that no other has, as results name their call.
func TestChat_callsWithoutIDs(t *testing.T) {
	const script = `
		{"id":"c-1","choices":[{"delta":{"tool_calls":[{"function":{"name":"a"}}]}}]}
		{"id":"c-1","choices":[{"delta":{"tool_calls":[{"function":{"arguments":"{\"z\":2}"}}]},"finish_reason":"tool_calls"}]}
		[DONE]`
	ids := map[string]bool{}
	for range 3 {
		shown, m, err := feed(newChat(), script)
		if err != nil || len(m.Content) != 1 {
			t.Fatalf("got %+v, %v", m, err)
		}
		b := m.Content[0]
		if b.Name != "a" || string(b.Input) != `{"z":2}` || b.ID == "" || ids[b.ID] || shown[0].ToolUse.ID != b.ID {
			t.Errorf("got %+v, shown as %+v", b, shown[0].ToolUse)
		}
		ids[b.ID] = true
	}
}

func TestChat_failures(t *testing.T) {
	for _, tt := range []failureCase{
		{`{"error":{"message":"slow","type":"rate_limit_error","code":"rate_limit_exceeded"}}`, model.KindRateLimited, "slow"},
		{`{"error":{"message":"slow","code":429}}`, model.KindRateLimited, "slow"},
		{`error {"message":"oops"}`, model.KindServer, "oops"},
		{`{"error":"text"}`, model.KindServer, "text"},
		{`{"choices":7}`, model.KindIncomplete, "cannot be read"},
		{`[DONE]`, model.KindIncomplete, "no reason"},
		{"{\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n[DONE]", model.KindIncomplete, "no reason"},
	} {
		tt.check(t, newChat())
	}
}

func TestChat_usage(t *testing.T) {
	_, m, err := feed(newChat(), `
		{"id":"c-1","model":"m-1","choices":[{"delta":{},"finish_reason":"stop"}]}
		{"id":"c-1","choices":[],"usage":{"prompt_tokens":100,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":60,"cache_write_tokens":30}}}
		[DONE]`)
	if err != nil {
		t.Fatal(err)
	}
	want := &model.Message{
		ID: "c-1", Model: "m-1", Role: model.RoleAssistant, StopReason: model.StopEndTurn,
		Usage: &model.Usage{InputTokens: 10, OutputTokens: 7, CacheReadInputTokens: 60, CacheCreationInputTokens: 30},
	}
	if diff := cmp.Diff(want, m); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Text so far is kept, calls only once the model has said why it stops.
func TestChat_partial(t *testing.T) {
	a := newChat()
	if a.Partial() != nil {
		t.Error("nothing has come")
	}
	if _, _, err := feed(a, `
		{"id":"c-1","choices":[{"delta":{"content":"ab","reasoning":"Hm"}}]}
		{"id":"c-1","choices":[{"delta":{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"a","arguments":"{}"}}]}}]}`); err != nil {
		t.Fatal(err)
	}
	want := &model.Message{ID: "c-1", Role: model.RoleAssistant, Content: []model.Block{model.Text("ab")}}
	if diff := cmp.Diff(want, a.Partial()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, _, err := feed(a, `{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}`); err != nil {
		t.Fatal(err)
	}
	if got := a.Partial(); len(got.Content) != 3 || got.StopReason != "" {
		t.Errorf("after the reason to stop: %+v", got)
	}
}
