package openai

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/model/internal/exchange"
)

// outputItem has the fields of the items that have a counterpart.
type outputItem struct {
	Type      string `json:"type"`
	Phase     string `json:"phase"`     // message
	CallID    string `json:"call_id"`   // function_call
	Name      string `json:"name"`      // function_call
	Arguments string `json:"arguments"` // function_call
	Content   []struct {
		Type    string `json:"type"`
		Text    string `json:"text"`
		Refusal string `json:"refusal"`
	} `json:"content"` // message, reasoning
	Summary []struct {
		Text string `json:"text"`
	} `json:"summary"` // reasoning
}

// item reads an output item that begins or is done.
func (a *responsesAnswer) item(index int, raw json.RawMessage, done bool, emit func(model.Event) bool) error {
	o, err := exchange.ReadObject(raw)
	if err != nil {
		return broken(fmt.Sprintf("item %d that cannot be read", index), err)
	}
	var out outputItem
	if kind := o.Text("type"); kind == "message" || kind == "reasoning" || kind == "function_call" {
		if err := json.Unmarshal(raw, &out); err != nil {
			return broken(fmt.Sprintf("item %d that cannot be read", index), err)
		}
	} else {
		out.Type = kind
	}
	it := a.at(index, out.Type)
	if it.kind != out.Type {
		return broken(fmt.Sprintf("item %d as %.40q and as %.40q", index, it.kind, out.Type), nil)
	}
	if it.done {
		return nil
	}
	it.done = done
	switch out.Type {
	case "message":
		a.messageItem(it, out, emit)
	case "reasoning":
		a.reasoningItem(index, out, o, done, emit)
	case "function_call":
		if it.parts[0] == nil {
			it.parts[0] = a.parts.begin(model.Block{Type: model.BlockToolUse, ID: out.CallID, Name: out.Name})
			emit(model.Event{Block: it.parts[0].position, ToolUse: &model.ToolUseHead{ID: out.CallID, Name: out.Name}})
		}
		if out.Arguments != "" {
			it.parts[0].settle(out.Arguments, emit)
		}
	default:
		if it.parts[0] == nil {
			it.parts[0] = a.parts.begin(model.Block{Type: itemType})
		}
		it.parts[0].block.Raw = itemOf(o)
	}
	if done {
		for _, p := range it.parts {
			p.finished = true
		}
	}
	return nil
}

func (a *responsesAnswer) messageItem(it *item, out outputItem, emit func(model.Event) bool) {
	it.phase = out.Phase
	for i, c := range out.Content {
		whole := c.Text
		if c.Type == "refusal" {
			whole, a.parts.refused = c.Refusal, true
		}
		if whole != "" {
			a.content(it, i).settle(whole, emit)
		}
	}
	for _, p := range it.parts {
		p.block.Raw = phaseOf(it)
	}
}

// reasoningItem keeps the item when it is done: what an item begins with is not
// what may go back. Its text is what was shown, or else the summary.
func (a *responsesAnswer) reasoningItem(index int, out outputItem, o *exchange.Object, done bool, emit func(model.Event) bool) {
	p := a.reasoning(index)
	if !done {
		return
	}
	if p.text.Len() == 0 {
		var texts []string
		for _, s := range out.Summary {
			texts = append(texts, s.Text)
		}
		if len(texts) == 0 {
			for _, c := range out.Content {
				texts = append(texts, c.Text)
			}
		}
		p.add(strings.Join(texts, "\n\n"), emit)
	}
	p.block.Raw = itemOf(o)
}

// itemOf wraps an item as the extra field of a raw block. The state of an item
// and fields without a value are the API's to say; it refuses some of them when
// they come back.
func itemOf(o *exchange.Object) json.RawMessage {
	o.Drop(func(name string, value json.RawMessage) bool { return name == "status" || string(value) == "null" })
	wrap := &exchange.Object{}
	wrap.Set(itemField, o.JSON())
	return wrap.JSON()
}

// itemIn gives the item in a raw block, or nil.
func itemIn(b model.Block) *exchange.Object {
	if b.Raw == nil {
		return nil
	}
	outer, err := exchange.ReadObject(b.Raw)
	if err != nil {
		return nil
	}
	o, err := exchange.ReadObject(outer.Get(itemField))
	if err != nil {
		return nil
	}
	return o
}
