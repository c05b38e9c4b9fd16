package anthropic

import (
	"encoding/json"
	"strings"

	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/model/internal/exchange"
)

// block is a content block on its way. It is kept as the object that the API
// began it with and the pieces that came since, so that kinds unknown here are
// put together as well as known ones.
type block struct {
	position  int
	start     *exchange.Object
	is        model.BlockType
	pieces    map[string]*strings.Builder // texts to be appended, by field
	input     strings.Builder             // of a call, JSON in pieces
	citations []json.RawMessage

	finished    bool
	model.Block // once finished
}

func newBlock(raw json.RawMessage) (*block, error) {
	o, err := exchange.ReadObject(raw)
	if err != nil {
		return nil, err
	}
	return &block{start: o, is: model.BlockType(o.Text("type")), pieces: map[string]*strings.Builder{}}, nil
}

// text is a field as far as it has come.
func (b *block) text(name string) string {
	text := b.start.Text(name)
	if more := b.pieces[name]; more != nil {
		text += more.String()
	}
	return text
}

// head shows what a block begins with.
func (b *block) head(emit func(model.Event) bool) {
	switch b.is {
	case model.BlockToolUse:
		emit(model.Event{Block: b.position, ToolUse: &model.ToolUseHead{ID: b.start.Text("id"), Name: b.start.Text("name")}})
		// Some servers give the input at once, and no pieces after it.
		if input := b.start.Get("input"); len(input) > 0 && !isEmpty(input) {
			emit(model.Event{Block: b.position, Input: string(input)})
		}
	case model.BlockText, model.BlockThinking:
		b.show(string(b.is), b.start.Text(string(b.is)), emit)
	}
}

func isEmpty(input json.RawMessage) bool {
	o, err := exchange.ReadObject(input)
	return err == nil && string(o.JSON()) == "{}" || string(input) == "null"
}

func (b *block) show(field, more string, emit func(model.Event) bool) {
	switch {
	case more == "":
	case field == "text" && b.is == model.BlockText:
		emit(model.Event{Block: b.position, Text: more})
	case field == "thinking" && b.is == model.BlockThinking:
		emit(model.Event{Block: b.position, Thinking: more})
	}
}

// delta has the fields of the known deltas. What else is in one of them is not
// part of the block.
type delta struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Input     string          `json:"partial_json"`
	Citation  json.RawMessage `json:"citation"`
}

// add takes one delta.
func (b *block) add(raw json.RawMessage, emit func(model.Event) bool) error {
	var d delta
	if err := json.Unmarshal(raw, &d); err != nil {
		return b.addUnknown(raw, emit) // its fields may be anything
	}
	switch d.Type {
	case "text_delta":
		b.more("text", d.Text, emit)
	case "thinking_delta":
		b.more("thinking", d.Thinking, emit)
	case "signature_delta":
		b.more("signature", d.Signature, emit)
	case "input_json_delta":
		b.input.WriteString(d.Input)
		if d.Input != "" && b.is == model.BlockToolUse {
			emit(model.Event{Block: b.position, Input: d.Input})
		}
	case "citations_delta":
		if d.Citation != nil {
			b.citations = append(b.citations, d.Citation)
		}
	default:
		return b.addUnknown(raw, emit)
	}
	return nil
}

// more appends to a text of the block.
func (b *block) more(field, text string, emit func(model.Event) bool) {
	if b.pieces[field] == nil {
		b.pieces[field] = &strings.Builder{}
	}
	b.pieces[field].WriteString(text)
	b.show(field, text, emit)
}

// addUnknown takes a delta of a kind unknown here, by the rule that the known
// ones follow: a text is more of the field of its name, anything else is its new
// value.
func (b *block) addUnknown(raw json.RawMessage, emit func(model.Event) bool) error {
	d, err := exchange.ReadObject(raw)
	if err != nil {
		return err
	}
	d.Each(func(name string, value json.RawMessage) {
		var text string
		switch {
		case name == "type" || string(value) == "null":
		case json.Unmarshal(value, &text) != nil:
			b.start.Set(name, value)
		default:
			b.more(name, text, emit)
		}
	})
	return nil
}

// finish puts the block together. It may be called again.
func (b *block) finish() error {
	if b.finished {
		return nil
	}
	o := b.start
	for _, name := range sortedKeys(b.pieces) {
		o.SetText(name, b.text(name))
	}
	if len(b.citations) > 0 {
		var list []json.RawMessage
		_ = json.Unmarshal(o.Get("citations"), &list) // null or nothing: an empty one
		all, err := exchange.Marshal(append(list, b.citations...))
		if err != nil {
			return err
		}
		o.Set("citations", all)
	}
	sent := json.RawMessage(b.input.String())
	if len(sent) > 0 {
		o.Set("input", model.Block{Input: sent}.InputObject())
	}
	if known(b.is) {
		// Fields that say nothing would only make the block one that is kept raw.
		o.Drop(func(_ string, value json.RawMessage) bool { return string(value) == "null" })
	}
	if err := b.Block.UnmarshalJSON(o.JSON()); err != nil {
		return err
	}
	if len(sent) > 0 && b.Type == model.BlockToolUse {
		b.Input = sent // what the model sent, also when it is no object
	}
	b.finished = true
	return nil
}

func known(kind model.BlockType) bool {
	switch kind {
	case model.BlockText, model.BlockThinking, model.BlockRedactedThinking, model.BlockToolUse:
		return true
	}
	return false
}
