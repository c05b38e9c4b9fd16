package model

import (
	"context"
	"encoding/json"
	"iter"
)

// Model answers requests. Implementations may be used by several sessions at
// once.
type Model interface {
	// Stream sends the request when the sequence is ranged over, and yields
	// deltas and then the final message. An error is the last thing it yields,
	// always an [*Error]; once ctx has ended, one of [KindAborted] around its
	// cause. Ending the range early ends the request. The request is not changed
	// and not kept.
	Stream(ctx context.Context, req *Request) iter.Seq2[Event, error]
}

// Request is one call of a model. Only Messages is required; an adapter has its
// own default model.
type Request struct {
	Model     string
	System    string
	Messages  []Message
	Tools     []ToolSpec
	MaxTokens int // of the answer; 0: [DefaultMaxTokens]

	// ThinkingTokens is the budget for thinking; 0 switches it off.
	ThinkingTokens int

	// Cache asks for prompt caching where the API wants to be asked: the tools
	// and system prompt, and the conversation up to its last message.
	Cache bool

	// User is an opaque id that the API may use against abuse.
	User string
}

// DefaultMaxTokens bounds an answer when the request does not say.
const DefaultMaxTokens = 16384

// ToolSpec describes a tool to the model.
type ToolSpec struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"` // a JSON Schema of type object
}

// Event is one piece of a stream: a delta, a restart, or the final message.
type Event struct {
	// Block is the index of the content block that a delta belongs to.
	Block int

	Text     string       // more of a text block
	Thinking string       // more of a thinking block
	ToolUse  *ToolUseHead // a tool_use block begins
	Input    string       // more of its input, JSON in pieces

	// Restart says that the call is made anew, see [Retry]: what was shown of
	// this answer is void.
	Restart *Restart

	// Message is the whole answer. Exactly one, as the last event.
	Message *Message
}

// ToolUseHead begins a tool_use block.
type ToolUseHead struct {
	ID, Name string
}

// Collect reads a stream to its end. The message comes with a nil error only.
func Collect(stream iter.Seq2[Event, error]) (*Message, error) {
	var final *Message
	for event, err := range stream {
		if err != nil {
			return nil, err
		}
		if event.Message != nil {
			final = event.Message
		}
	}
	if final == nil {
		return nil, noFinal()
	}
	return final, nil
}
