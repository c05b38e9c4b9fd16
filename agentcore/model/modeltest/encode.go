package modeltest

import (
	"encoding/json"
	"fmt"

	"github.com/stophook/stophook/agentcore/model"
)

type object = map[string]any

// encode writes a message as the events of an API's stream. Blocks that the API
// has no words for are left out.
func encode(api API, m *model.Message) []string {
	filled := *m
	if filled.ID == "" {
		filled.ID = "msg_fake"
	}
	if filled.Model == "" {
		filled.Model = "fake-model"
	}
	if filled.StopReason == "" {
		filled.StopReason = model.StopEndTurn
		if len(m.ToolUses()) > 0 {
			filled.StopReason = model.StopToolUse
		}
	}
	if filled.Usage == nil {
		filled.Usage = &model.Usage{InputTokens: 10, OutputTokens: 5}
	}
	switch api {
	case Chat:
		return encodeChat(&filled)
	case Responses:
		return encodeResponses(&filled)
	}
	return encodeAnthropic(&filled)
}

// event is one event of a stream. OpenAI's Chat has no names for them.
func event(name string, data any) string {
	text, err := json.Marshal(data)
	if err != nil {
		panic(fmt.Sprintf("modeltest: %v", err)) // only maps and strings get here
	}
	if name == "" {
		return "data: " + string(text) + "\n\n"
	}
	return "event: " + name + "\ndata: " + string(text) + "\n\n"
}

// pieces cuts text into three, so that nobody takes the first for the whole.
func pieces(text string) []string {
	runes := []rune(text)
	n := len(runes)
	if n < 3 {
		return []string{text}
	}
	return []string{string(runes[:n/3]), string(runes[n/3 : 2*n/3]), string(runes[2*n/3:])}
}

func encodeAnthropic(m *model.Message) []string {
	start := object{"id": m.ID, "type": "message", "role": "assistant", "model": m.Model, "content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": object{
		"input_tokens": m.Usage.InputTokens, "cache_creation_input_tokens": m.Usage.CacheCreationInputTokens,
		"cache_read_input_tokens": m.Usage.CacheReadInputTokens, "output_tokens": 1,
	}}
	events := []string{event("message_start", object{"type": "message_start", "message": start})}
	for i, b := range m.Content {
		add := func(kind, field string, value any) {
			name := "content_block_" + kind
			data := object{"type": name, "index": i}
			if field != "" {
				data[field] = value
			}
			events = append(events, event(name, data))
		}
		deltas := func(kind, field, text string) {
			for _, piece := range pieces(text) {
				add("delta", "delta", object{"type": kind, field: piece})
			}
		}
		switch b.Type {
		case model.BlockText:
			add("start", "content_block", object{"type": "text", "text": ""})
			deltas("text_delta", "text", b.Text)
		case model.BlockThinking:
			add("start", "content_block", object{"type": "thinking", "thinking": "", "signature": ""})
			deltas("thinking_delta", "thinking", b.Thinking)
			add("delta", "delta", object{"type": "signature_delta", "signature": b.Signature})
		case model.BlockToolUse:
			add("start", "content_block", object{"type": "tool_use", "id": b.ID, "name": b.Name, "input": object{}})
			deltas("input_json_delta", "partial_json", string(b.InputObject()))
		default:
			add("start", "content_block", b)
		}
		add("stop", "", nil)
	}
	return append(
		events,
		event("message_delta", object{
			"type": "message_delta", "delta": object{"stop_reason": m.StopReason, "stop_sequence": nil},
			"usage": object{"output_tokens": m.Usage.OutputTokens},
		}),
		event("message_stop", object{"type": "message_stop"}),
	)
}
