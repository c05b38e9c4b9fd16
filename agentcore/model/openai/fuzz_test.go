package openai_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/model/openai"
)

// canned answers every request with the same bytes.
type canned []byte

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	h := http.Header{"Content-Type": {"text/event-stream"}}
	return &http.Response{StatusCode: 200, Header: h, Body: io.NopCloser(bytes.NewReader(c)), Request: r}, nil
}

// Whatever bytes come, a stream ends with one message or one error of the
// contract, and what it gives can be written.
func FuzzStream(f *testing.F) {
	for _, seed := range []string{
		"",
		"data: {\"id\":\"c\",\"choices\":[{\"delta\":{\"content\":\"a\",\"reasoning\":\"b\",\"tool_calls\":[{\"index\":0,\"id\":\"x\",\"function\":{\"name\":\"n\",\"arguments\":\"{\"}}]},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1}}\n\ndata: [DONE]\n\n",
		"data: {\"error\":{\"message\":\"m\",\"code\":429}}\n\n",
		"data: {\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"type\":\"reasoning\",\"id\":\"r\"}}\n\n" +
			"data: {\"type\":\"response.reasoning_summary_part.added\",\"output_index\":0}\n\n" +
			"data: {\"type\":\"response.reasoning_summary_text.delta\",\"output_index\":0,\"delta\":\"x\"}\n\n" +
			"data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"type\":\"reasoning\",\"id\":\"r\",\"encrypted_content\":\"e\",\"summary\":[{\"text\":\"x\"}]}}\n\n" +
			"data: {\"type\":\"response.output_text.delta\",\"output_index\":1,\"content_index\":0,\"delta\":\"x\"}\n\n" +
			"data: {\"type\":\"response.output_item.done\",\"output_index\":2,\"item\":{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"n\",\"arguments\":\"{\"}}\n\n" +
			"data: {\"type\":\"response.function_call_arguments.done\",\"output_index\":2,\"arguments\":\"{}\"}\n\n" +
			"data: {\"type\":\"response.completed\",\"response\":{\"output\":[{\"type\":\"new\",\"status\":\"x\"}],\"usage\":{\"input_tokens\":1}}}\n\n",
	} {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, body []byte, chat bool) {
		o := openai.Options{APIKey: "key", HTTPClient: &http.Client{Transport: canned(body)}}
		if chat {
			o.API = openai.Chat
		}
		c, err := openai.New(o)
		if err != nil {
			t.Fatal(err)
		}
		ended := false
		for e, err := range c.Stream(t.Context(), hello()) {
			if ended {
				t.Fatal("something comes after the end")
			}
			var failed *model.Error
			switch {
			case err != nil && !errors.As(err, &failed):
				t.Fatalf("an error that is none of the contract: %v", err)
			case err != nil:
				ended = true
				writable(t, failed.Partial)
			case e.Message != nil:
				ended = true
				writable(t, e.Message)
			}
		}
		if !ended {
			t.Fatal("neither a message nor an error")
		}
	})
}

func writable(t *testing.T, m *model.Message) {
	t.Helper()
	if m == nil {
		return
	}
	if _, err := json.Marshal(m); err != nil {
		t.Fatalf("%+v cannot be written: %v", m, err)
	}
}
