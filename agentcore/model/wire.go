package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// MarshalJSON writes the block as the Messages API and transcripts hold it. An
// encoder with HTML escaping on still rewrites <, > and & afterwards; use
// [Block.AppendJSON], or switch it off.
func (b Block) MarshalJSON() ([]byte, error) { return b.AppendJSON(nil) }

// AppendJSON appends the block to dst, on one line and without HTML escaping. A
// block with Raw is written as it came; who changes another field of such a
// block sets Raw to nil. The only errors are a Raw that is no JSON, and a block
// that has neither Raw nor a type known here.
func (b Block) AppendJSON(dst []byte) ([]byte, error) {
	if b.Raw != nil {
		return appendRaw(dst, b.Raw)
	}
	switch b.Type {
	case BlockText:
		dst = append(dst, `{"type":"text","text":`...)
		dst = appendString(dst, b.Text)
	case BlockThinking:
		dst = append(dst, `{"type":"thinking","thinking":`...)
		dst = appendString(dst, b.Thinking)
		dst = append(dst, `,"signature":`...)
		dst = appendString(dst, b.Signature)
	case BlockRedactedThinking:
		dst = append(dst, `{"type":"redacted_thinking","data":`...)
		dst = appendString(dst, b.Data)
	case BlockToolUse:
		dst = append(dst, `{"type":"tool_use","id":`...)
		dst = appendString(dst, b.ID)
		dst = append(dst, `,"name":`...)
		dst = appendString(dst, b.Name)
		dst = append(dst, `,"input":`...)
		var err error
		if dst, err = appendRaw(dst, b.InputObject()); err != nil {
			return nil, err
		}
	case BlockToolResult:
		return b.appendToolResult(dst)
	case BlockImage:
		source := b.Source
		if source == nil {
			source = &ImageSource{}
		}
		dst = append(dst, `{"type":"image","source":{"type":`...)
		dst = appendString(dst, source.Type)
		dst = append(dst, `,"media_type":`...)
		dst = appendString(dst, source.MediaType)
		dst = append(dst, `,"data":`...)
		dst = appendString(dst, source.Data)
		dst = append(dst, '}')
	default:
		return nil, fmt.Errorf("model: block of type %q cannot be written: set Raw, or a type of this package", b.Type)
	}
	return append(dst, '}'), nil
}

// appendToolResult writes what clients write: one text as a string, anything
// else as a list, and is_error always.
func (b Block) appendToolResult(dst []byte) ([]byte, error) {
	dst = append(dst, `{"tool_use_id":`...)
	dst = appendString(dst, b.ToolUseID)
	dst = append(dst, `,"type":"tool_result","content":`...)
	if len(b.Content) == 1 && b.Content[0].Type == BlockText && b.Content[0].Raw == nil {
		dst = appendString(dst, b.Content[0].Text)
	} else {
		var err error
		if dst, err = appendBlocks(dst, b.Content); err != nil {
			return nil, err
		}
	}
	if b.IsError {
		return append(dst, `,"is_error":true}`...), nil
	}
	return append(dst, `,"is_error":false}`...), nil
}

// InputObject is the input of a tool_use as the API takes it back: always an
// object. No input is an empty one; anything else that the model sent in place
// of an object is kept as text in the field invalid_input.
func (b Block) InputObject() json.RawMessage {
	input := bytes.TrimSpace(b.Input)
	switch {
	case len(input) == 0 || string(input) == "null":
		return json.RawMessage(`{}`)
	case input[0] == '{' && json.Valid(input):
		return json.RawMessage(input)
	}
	kept := append([]byte(nil), `{"invalid_input":`...)
	return append(appendString(kept, string(b.Input)), '}')
}

// UnmarshalJSON reads a block. Types unknown here, and known ones with fields
// that Block has no room for or that are of another shape, are kept in Raw. It
// fails only when data is no JSON object.
func (b *Block) UnmarshalJSON(data []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return fmt.Errorf("model: read block: %w", err)
	}
	if fields == nil {
		return errors.New("model: read block: null is no block")
	}
	*b = Block{}
	whole := take(fields, "type", (*string)(&b.Type))
	switch b.Type {
	case BlockText:
		whole = take(fields, "text", &b.Text) && whole
	case BlockThinking:
		whole = take(fields, "thinking", &b.Thinking) && whole
		whole = take(fields, "signature", &b.Signature) && whole
	case BlockRedactedThinking:
		whole = take(fields, "data", &b.Data) && whole
	case BlockToolUse:
		whole = take(fields, "id", &b.ID) && whole
		whole = take(fields, "name", &b.Name) && whole
		b.Input = slices.Clone(fields["input"])
		delete(fields, "input")
	case BlockToolResult:
		whole = take(fields, "tool_use_id", &b.ToolUseID) && whole
		whole = take(fields, "is_error", &b.IsError) && whole
		if content, ok := fields["content"]; ok {
			var err error
			if b.Content, err = readContent(content); err == nil {
				delete(fields, "content")
			}
		}
	case BlockImage:
		b.Source, whole = takeSource(fields, whole)
	default:
		whole = false
	}
	if !whole || len(fields) > 0 {
		b.Raw = slices.Clone(json.RawMessage(data))
	}
	return nil
}

// take moves a field into v and tells whether it was of v's type. A field that
// is not there is no loss.
func take[T any](fields map[string]json.RawMessage, name string, v *T) bool {
	raw, ok := fields[name]
	if !ok {
		return true
	}
	delete(fields, name)
	if string(raw) == "null" {
		return false
	}
	if err := json.Unmarshal(raw, v); err != nil {
		var zero T
		*v = zero
		return false
	}
	return true
}

// takeSource reads an image's source. One by address or file id has other
// fields, so the whole block stays raw.
func takeSource(fields map[string]json.RawMessage, whole bool) (*ImageSource, bool) {
	var inner map[string]json.RawMessage
	if !take(fields, "source", &inner) || inner == nil {
		return nil, false
	}
	source := &ImageSource{}
	for _, f := range []struct {
		name string
		v    *string
	}{{"type", &source.Type}, {"media_type", &source.MediaType}, {"data", &source.Data}} {
		whole = take(inner, f.name, f.v) && whole
	}
	return source, whole && len(inner) == 0
}

// readContent reads what may be a string or a list of blocks.
func readContent(raw json.RawMessage) ([]Block, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) > 0 && raw[0] == '"' {
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return nil, err
		}
		return []Block{Text(text)}, nil
	}
	var blocks []Block
	if err := json.Unmarshal(raw, &blocks); err != nil {
		return nil, err
	}
	if len(blocks) == 0 {
		return nil, nil
	}
	return blocks, nil
}
