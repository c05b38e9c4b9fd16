package model

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// MarshalJSON writes the message as the Messages API and transcripts hold it,
// see [Message.AppendJSON] for the order and [Block.MarshalJSON] for HTML.
func (m Message) MarshalJSON() ([]byte, error) { return m.AppendJSON(nil) }

// AppendJSON appends the message to dst, on one line and without HTML escaping.
// An answer is written with all fields of one, in the order that clients write
// them; a message with nothing but a role and content has these two only.
func (m Message) AppendJSON(dst []byte) ([]byte, error) {
	answer := m.ID != "" || m.Model != "" || m.StopReason != "" || m.Usage != nil
	dst = append(dst, '{')
	if answer {
		dst = append(dst, `"model":`...)
		dst = appendString(dst, m.Model)
		dst = append(dst, `,"id":`...)
		dst = appendString(dst, m.ID)
		dst = append(dst, `,"type":"message",`...)
	}
	dst = append(dst, `"role":`...)
	dst = appendString(dst, string(m.Role))
	dst = append(dst, `,"content":`...)
	dst, err := appendBlocks(dst, m.Content)
	if err != nil {
		return nil, err
	}
	if !answer {
		return append(dst, '}'), nil
	}
	dst = append(dst, `,"stop_reason":`...)
	if m.StopReason == "" {
		dst = append(dst, `null`...)
	} else {
		dst = appendString(dst, string(m.StopReason))
	}
	dst = append(dst, `,"stop_sequence":null`...)
	if m.Usage != nil {
		dst = append(dst, `,"usage":`...)
		dst = m.Usage.appendJSON(dst)
	}
	return append(dst, '}'), nil
}

func (u Usage) appendJSON(dst []byte) []byte {
	dst = append(dst, `{"input_tokens":`...)
	dst = strconv.AppendInt(dst, u.InputTokens, 10)
	dst = append(dst, `,"cache_creation_input_tokens":`...)
	dst = strconv.AppendInt(dst, u.CacheCreationInputTokens, 10)
	dst = append(dst, `,"cache_read_input_tokens":`...)
	dst = strconv.AppendInt(dst, u.CacheReadInputTokens, 10)
	dst = append(dst, `,"output_tokens":`...)
	dst = strconv.AppendInt(dst, u.OutputTokens, 10)
	return append(dst, '}')
}

// UnmarshalJSON reads a message. Content may be a string, which becomes one
// text block. Fields that Message has no room for are dropped: unlike those of
// blocks, they never go back to a model.
func (m *Message) UnmarshalJSON(data []byte) error {
	var wire struct {
		ID         string          `json:"id"`
		Role       Role            `json:"role"`
		Model      string          `json:"model"`
		Content    json.RawMessage `json:"content"`
		StopReason StopReason      `json:"stop_reason"`
		Usage      *Usage          `json:"usage"`
	}
	if err := json.Unmarshal(data, &wire); err != nil {
		return fmt.Errorf("model: read message: %w", err)
	}
	*m = Message{ID: wire.ID, Role: wire.Role, Model: wire.Model, StopReason: wire.StopReason, Usage: wire.Usage}
	if len(wire.Content) == 0 {
		return nil
	}
	blocks, err := readContent(wire.Content)
	if err != nil {
		return fmt.Errorf("model: read message content: %w", err)
	}
	m.Content = blocks
	return nil
}
