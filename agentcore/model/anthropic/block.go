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
	position int
	start    *exchange.Object
	pieces   map[string]*strings.Builder // texts to be appended, by field
	input    strings.Builder             // of a call, JSON in pieces
	lists    map[string][]json.RawMessage

	finished    bool
	model.Block // once finished
}

func newBlock(raw json.RawMessage) (*block, error) {
	o, err := exchange.ReadObject(raw)
	if err != nil {
		return nil, err
	}
	return &block{start: o, pieces: map[string]*strings.Builder{}}, nil
}

func (b *block) kind() model.BlockType { return model.BlockType(b.start.Text("type")) }

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
	switch b.kind() {
	case model.BlockToolUse:
		emit(model.Event{Block: b.position, ToolUse: &model.ToolUseHead{ID: b.start.Text("id"), Name: b.start.Text("name")}})
	case model.BlockText, model.BlockThinking:
		b.show(string(b.kind()), b.start.Text(string(b.kind())), emit)
	}
}

func (b *block) show(field, more string, emit func(model.Event) bool) {
	switch {
	case more == "":
	case field == "text" && b.kind() == model.BlockText:
		emit(model.Event{Block: b.position, Text: more})
	case field == "thinking" && b.kind() == model.BlockThinking:
		emit(model.Event{Block: b.position, Thinking: more})
	}
}

// add takes one delta. Those of kinds unknown here follow the rule of the known
// ones: a text is more of the field of its name, anything else is its new value.
func (b *block) add(raw json.RawMessage, emit func(model.Event) bool) error {
	delta, err := exchange.ReadObject(raw)
	if err != nil {
		return err
	}
	switch delta.Text("type") {
	case "input_json_delta":
		more := delta.Text("partial_json")
		b.input.WriteString(more)
		if more != "" && b.kind() == model.BlockToolUse {
			emit(model.Event{Block: b.position, Input: more})
		}
		return nil
	case "citations_delta":
		if citation := delta.Get("citation"); citation != nil {
			if b.lists == nil {
				b.lists = map[string][]json.RawMessage{}
			}
			b.lists["citations"] = append(b.lists["citations"], citation)
		}
		return nil
	}
	delta.Each(func(name string, value json.RawMessage) {
		var more string
		switch {
		case name == "type" || string(value) == "null":
		case json.Unmarshal(value, &more) != nil:
			b.start.Set(name, value)
		default:
			if b.pieces[name] == nil {
				b.pieces[name] = &strings.Builder{}
			}
			b.pieces[name].WriteString(more)
			b.show(name, more, emit)
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
	for _, name := range sortedKeys(b.lists) {
		list, err := exchange.Marshal(append(readList(o.Get(name)), b.lists[name]...))
		if err != nil {
			return err
		}
		o.Set(name, list)
	}
	sent := json.RawMessage(b.input.String())
	if len(sent) > 0 {
		o.Set("input", model.Block{Input: sent}.InputObject())
	}
	if known(b.kind()) {
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

func readList(raw json.RawMessage) []json.RawMessage {
	var list []json.RawMessage
	_ = json.Unmarshal(raw, &list) // null or nothing: an empty one
	return list
}
