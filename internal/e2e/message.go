package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// message is one answer of the model in the API's form.
type message struct {
	id, model, stop string
	content         []map[string]any
}

func newMessage(req *Request, blocks []Block) *message {
	m := &message{id: fmt.Sprintf("msg_%06d%d", req.N, req.At.UnixMilli()), model: req.Model, stop: "end_turn"}
	for i, b := range blocks {
		if b.Tool == "" {
			m.content = append(m.content, map[string]any{"type": "text", "text": b.Text})
			continue
		}
		m.stop = "tool_use"
		m.content = append(m.content, map[string]any{"type": "tool_use", "name": b.Tool, "input": b.Input,
			"id": fmt.Sprintf("toolu_%06d_%d_%d", req.N, i, req.At.UnixMilli())}) // ids differ between servers of one session
	}
	return m
}

func usage() map[string]any {
	return map[string]any{"input_tokens": 10, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 20}
}

// document is the whole message, for a client that does not stream.
func (m *message) document() map[string]any {
	return map[string]any{"id": m.id, "type": "message", "role": "assistant", "model": m.model, "content": m.content,
		"stop_reason": m.stop, "stop_sequence": nil, "usage": usage()}
}

// stream sends the message as server-sent events. It ends early when the client is
// gone; until is waited for before the last block.
func (m *message) stream(ctx context.Context, w http.ResponseWriter, until <-chan struct{}) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("Request-Id", "req_"+m.id)
	w.WriteHeader(http.StatusOK)
	out := http.NewResponseController(w)
	send := func(kind string, doc map[string]any) {
		doc["type"] = kind
		data, _ := json.Marshal(doc) // maps of strings, numbers and the script's own values
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, data)
		out.Flush() // a client that is gone shows in ctx
	}
	start := m.document()
	start["content"], start["stop_reason"] = []any{}, nil
	send("message_start", map[string]any{"message": start})
	for i, c := range m.content {
		if i == len(m.content)-1 && !hold(ctx, until) {
			return
		}
		for _, e := range blockEvents(c) {
			e.doc["index"] = i
			send(e.kind, e.doc)
		}
	}
	send("message_delta", map[string]any{"delta": map[string]any{"stop_reason": m.stop, "stop_sequence": nil}, "usage": usage()})
	send("message_stop", map[string]any{})
}

type sseEvent struct {
	kind string
	doc  map[string]any
}

// blockEvents are the events of one block; what it holds comes in two parts, because
// the real API never sends it in one.
func blockEvents(c map[string]any) []sseEvent {
	var begin, delta map[string]any
	var field, whole string
	if c["type"] == "text" {
		begin, field, whole = map[string]any{"type": "text", "text": ""}, "text", c["text"].(string)
		delta = map[string]any{"type": "text_delta"}
	} else {
		input, _ := json.Marshal(c["input"])
		begin, field, whole = map[string]any{"type": "tool_use", "id": c["id"], "name": c["name"], "input": map[string]any{}}, "partial_json", string(input)
		delta = map[string]any{"type": "input_json_delta"}
	}
	events := []sseEvent{{"content_block_start", map[string]any{"content_block": begin}}}
	runes := []rune(whole)
	for _, part := range []string{string(runes[:len(runes)/2]), string(runes[len(runes)/2:])} {
		d := map[string]any{"type": delta["type"], field: part}
		events = append(events, sseEvent{"content_block_delta", map[string]any{"delta": d}})
	}
	return append(events, sseEvent{"content_block_stop", map[string]any{}})
}
