package modeltest

import "github.com/stophook/stophook/agentcore/model"

// inputTokens is what OpenAI calls so: cached ones are a part of them.
func inputTokens(u *model.Usage) int64 {
	return u.InputTokens + u.CacheReadInputTokens + u.CacheCreationInputTokens
}

func encodeChat(m *model.Message) []string {
	var events []string
	chunk := func(delta object, finish any) {
		events = append(events, event("", object{
			"id": m.ID, "object": "chat.completion.chunk", "created": 1764560000, "model": m.Model, "usage": nil,
			"choices": []any{object{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": finish}},
		}))
	}
	chunk(object{"role": "assistant", "content": "", "refusal": nil}, nil)
	calls := 0
	for _, b := range m.Content {
		switch b.Type {
		case model.BlockText:
			for _, piece := range pieces(b.Text) {
				chunk(object{"content": piece}, nil)
			}
		case model.BlockToolUse:
			chunk(object{"tool_calls": []any{object{
				"index": calls, "id": b.ID, "type": "function", "function": object{"name": b.Name, "arguments": ""},
			}}}, nil)
			for _, piece := range pieces(string(b.InputObject())) {
				chunk(object{"tool_calls": []any{object{"index": calls, "function": object{"arguments": piece}}}}, nil)
			}
			calls++
		}
	}
	finish := map[model.StopReason]string{model.StopToolUse: "tool_calls", model.StopMaxTokens: "length", model.StopRefusal: "content_filter"}[m.StopReason]
	if finish == "" {
		finish = "stop"
	}
	chunk(object{}, finish)
	events = append(events, event("", object{
		"id": m.ID, "object": "chat.completion.chunk", "created": 1764560000, "model": m.Model, "choices": []any{},
		"usage": object{
			"prompt_tokens": inputTokens(m.Usage), "completion_tokens": m.Usage.OutputTokens, "total_tokens": m.Usage.Total(),
			"prompt_tokens_details": object{"cached_tokens": m.Usage.CacheReadInputTokens},
		},
	}))
	return append(events, "data: [DONE]\n\n")
}

// responseStream numbers the events of a stream.
type responseStream struct {
	events []string
	output []any
}

func (s *responseStream) add(name string, data object) {
	data["type"] = name
	data["sequence_number"] = len(s.events)
	s.events = append(s.events, event(name, data))
}

func encodeResponses(m *model.Message) []string {
	s := &responseStream{output: []any{}}
	answer := func(status string) object {
		return object{
			"id": m.ID, "object": "response", "created_at": 1764560000, "status": status, "error": nil, "incomplete_details": nil,
			"model": m.Model, "output": s.output, "parallel_tool_calls": true, "usage": nil,
		}
	}
	s.add("response.created", object{"response": answer("in_progress")})
	for i, b := range m.Content {
		switch b.Type {
		case model.BlockText:
			s.text(i, b.Text)
		case model.BlockToolUse:
			s.call(i, b)
		}
	}
	name, last := "response.completed", answer("completed")
	switch m.StopReason {
	case model.StopMaxTokens:
		name, last = "response.incomplete", answer("incomplete")
		last["incomplete_details"] = object{"reason": "max_output_tokens"}
	case model.StopRefusal:
		name, last = "response.incomplete", answer("incomplete")
		last["incomplete_details"] = object{"reason": "content_filter"}
	}
	last["usage"] = object{
		"input_tokens": inputTokens(m.Usage), "input_tokens_details": object{"cached_tokens": m.Usage.CacheReadInputTokens},
		"output_tokens": m.Usage.OutputTokens, "output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": m.Usage.Total(),
	}
	s.add(name, object{"response": last})
	return s.events
}

func (s *responseStream) text(i int, text string) {
	id := "item_" + string(rune('a'+i%26))
	item := object{"id": id, "type": "message", "status": "in_progress", "role": "assistant", "content": []any{}}
	s.add("response.output_item.added", object{"output_index": i, "item": item})
	part := object{"type": "output_text", "text": "", "annotations": []any{}}
	s.add("response.content_part.added", object{"item_id": id, "output_index": i, "content_index": 0, "part": part})
	for _, piece := range pieces(text) {
		s.add("response.output_text.delta", object{"item_id": id, "output_index": i, "content_index": 0, "delta": piece, "logprobs": []any{}})
	}
	part = object{"type": "output_text", "text": text, "annotations": []any{}}
	s.add("response.output_text.done", object{"item_id": id, "output_index": i, "content_index": 0, "text": text, "logprobs": []any{}})
	s.add("response.content_part.done", object{"item_id": id, "output_index": i, "content_index": 0, "part": part})
	s.done(i, object{"id": id, "type": "message", "status": "completed", "role": "assistant", "content": []any{part}})
}

func (s *responseStream) call(i int, b model.Block) {
	id := "item_" + string(rune('a'+i%26))
	item := func(status, arguments string) object {
		return object{"id": id, "type": "function_call", "status": status, "call_id": b.ID, "name": b.Name, "arguments": arguments}
	}
	s.add("response.output_item.added", object{"output_index": i, "item": item("in_progress", "")})
	arguments := string(b.InputObject())
	for _, piece := range pieces(arguments) {
		s.add("response.function_call_arguments.delta", object{"item_id": id, "output_index": i, "delta": piece})
	}
	s.add("response.function_call_arguments.done", object{"item_id": id, "output_index": i, "arguments": arguments})
	s.done(i, item("completed", arguments))
}

func (s *responseStream) done(i int, item object) {
	s.output = append(s.output, item)
	s.add("response.output_item.done", object{"output_index": i, "item": item})
}
