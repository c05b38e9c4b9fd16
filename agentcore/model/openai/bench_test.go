package openai_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/model/openai"
)

// What the adapter costs for an answer of a thousand pieces, without a network.
func BenchmarkStream(b *testing.B) {
	for api, events := range map[openai.API][2]string{
		openai.Responses: {`{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"some words"}`, `{"type":"response.completed","response":{"id":"resp_1"}}`},
		openai.Chat:      {`{"id":"c-1","choices":[{"index":0,"delta":{"content":"some words"},"finish_reason":"stop"}]}`, "[DONE]"},
	} {
		b.Run(string(api), func(b *testing.B) {
			var body strings.Builder
			for range 1000 {
				fmt.Fprintf(&body, "data: %s\n\n", events[0])
			}
			fmt.Fprintf(&body, "data: %s\n\n", events[1])
			c, err := openai.New(openai.Options{API: api, APIKey: "key", HTTPClient: &http.Client{Transport: canned(body.String())}})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := model.Collect(c.Stream(b.Context(), hello())); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
