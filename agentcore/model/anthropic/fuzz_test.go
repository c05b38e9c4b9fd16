package anthropic_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/model/anthropic"
)

// canned answers every request with the same bytes.
type canned []byte

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	h := http.Header{"Content-Type": {"text/event-stream"}}
	return &http.Response{StatusCode: 200, Header: h, Body: io.NopCloser(bytes.NewReader(c)), Request: r}, nil
}

// Whatever bytes come, a stream ends with one message or one error of the
// contract, and what it gives can be sent back.
func FuzzStream(f *testing.F) {
	for _, seed := range []string{
		"",
		"event: ping\ndata: {}\n\n",
		"event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"usage\":{\"input_tokens\":1}}}\n\n" +
			"data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"n\",\"input\":{}}}\n\n" +
			"data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"a\\\":\"}}\n\n" +
			"data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"text\",\"text\":\"x\",\"citations\":7}}\n\n" +
			"data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"citations_delta\",\"citation\":{}}}\n\n" +
			"data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"new\",\"text\":{},\"type\":\"x\"}}\n\n" +
			"data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":-1}}\n\n" +
			"data: {\"type\":\"message_stop\"}\n\n",
		"event: error\ndata: {\"error\":{\"type\":\"overloaded_error\"}}\n\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		c, err := anthropic.New(anthropic.Options{APIKey: "key", HTTPClient: &http.Client{Transport: canned(body)}})
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
				sendable(t, failed.Partial)
			case e.Message != nil:
				ended = true
				sendable(t, e.Message)
			}
		}
		if !ended {
			t.Fatal("neither a message nor an error")
		}
	})
}

func sendable(t *testing.T, m *model.Message) {
	t.Helper()
	if m == nil {
		return
	}
	if _, err := json.Marshal(m); err != nil {
		t.Fatalf("%+v cannot be written: %v", m, err)
	}
}
