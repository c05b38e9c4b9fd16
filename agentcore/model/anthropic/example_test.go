package anthropic_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/model/anthropic"
)

// An answer is shown while it comes, and used once it is whole.
func Example() {
	api := httptest.NewServer(http.HandlerFunc(serve)) // in place of the real one
	defer api.Close()

	client, err := anthropic.New(anthropic.Options{APIKey: "sk-ant-…", BaseURL: api.URL, Model: "claude-example"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()

	m := model.Retry(client, model.RetryOptions{})
	req := &model.Request{
		System:   "Be brief.",
		Messages: []model.Message{{Role: model.RoleUser, Content: []model.Block{model.Text("Hello")}}},
	}
	for event, err := range m.Stream(context.Background(), req) {
		switch {
		case err != nil:
			fmt.Println(err)
		case event.Text != "":
			fmt.Printf("%q\n", event.Text)
		case event.Message != nil:
			fmt.Println(event.Message.StopReason, event.Message.FinalText())
		}
	}
	// Output:
	// "Good "
	// "day."
	// end_turn Good day.
}

func serve(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, data := range []string{
		`{"type":"message_start","message":{"id":"msg_1","model":"claude-example","usage":{"input_tokens":9}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Good "}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"day."}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":4}}`,
		`{"type":"message_stop"}`,
	} {
		fmt.Fprintf(w, "data: %s\n\n", data)
	}
}
