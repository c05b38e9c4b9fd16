package anthropic_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/model/anthropic"
)

// What the adapter costs for an answer of a thousand pieces, without a network.
func BenchmarkStream(b *testing.B) {
	var body strings.Builder
	event := func(data string) { fmt.Fprintf(&body, "event: x\ndata: %s\n\n", data) }
	event(`{"type":"message_start","message":{"id":"msg_1","model":"m","usage":{"input_tokens":9}}}`)
	event(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`)
	for range 1000 {
		event(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"some words"}}`)
	}
	event(`{"type":"content_block_stop","index":0}`)
	event(`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2000}}`)
	event(`{"type":"message_stop"}`)
	c, err := anthropic.New(anthropic.Options{APIKey: "key", HTTPClient: &http.Client{Transport: canned(body.String())}})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := model.Collect(c.Stream(b.Context(), hello())); err != nil {
			b.Fatal(err)
		}
	}
}
