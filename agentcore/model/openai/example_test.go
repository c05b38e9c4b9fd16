package openai_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/model/openai"
)

// A local server that speaks Chat Completions, without a key.
func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, data := range []string{
			`{"id":"c-1","model":"local","choices":[{"index":0,"delta":{"role":"assistant","content":"Good "}}]}`,
			`{"id":"c-1","choices":[{"index":0,"delta":{"content":"day."},"finish_reason":"stop"}]}`,
			`{"id":"c-1","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":8}}}`,
			`[DONE]`,
		} {
			fmt.Fprintf(w, "data: %s\n\n", data)
		}
	}))
	defer server.Close()

	client, err := openai.New(openai.Options{API: openai.Chat, BaseURL: server.URL + "/v1", Model: "local"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()

	m, err := model.Collect(client.Stream(context.Background(), &model.Request{
		Messages: []model.Message{{Role: model.RoleUser, Content: []model.Block{model.Text("Hello")}}},
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.FinalText())
	fmt.Println(m.StopReason, m.Usage.InputTokens, m.Usage.CacheReadInputTokens, m.Usage.OutputTokens)
	// Output:
	// Good day.
	// end_turn 1 8 4
}
