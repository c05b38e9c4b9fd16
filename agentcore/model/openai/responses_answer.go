package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/model/internal/exchange"
)

// responsesAnswer puts a message together from the events of Responses.
type responsesAnswer struct {
	failed func(data []byte) *model.Error

	begun   bool
	message model.Message
	parts   parts
	items   map[int]*item // by output_index
}

// item is an output item: a message has a part for each of its contents, all
// others have one.
type item struct {
	kind  string
	phase string
	parts map[int]*part
	done  bool
}

// responsesEvent has the fields of all events that count here. Fields that have
// another type in other events stay bytes.
type responsesEvent struct {
	Type         string          `json:"type"`
	OutputIndex  int             `json:"output_index"`
	ContentIndex int             `json:"content_index"`
	SummaryIndex int             `json:"summary_index"`
	Delta        json.RawMessage `json:"delta"`
	Arguments    json.RawMessage `json:"arguments"`
	Item         json.RawMessage `json:"item"`
	Response     json.RawMessage `json:"response"`
}

func (e responsesEvent) delta() string { return text(e.Delta) }

// text reads a string; anything else is none.
func text(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s)
	return s
}

// Take reads one event, see [exchange.Answer].
func (a *responsesAnswer) Take(name string, data []byte, emit func(model.Event) bool) (*model.Message, error) {
	data = bytes.TrimSpace(data)
	if len(data) == 0 || string(data) == "[DONE]" {
		return nil, nil
	}
	var e responsesEvent
	if err := json.Unmarshal(data, &e); err != nil {
		switch {
		case name == "error":
			return nil, a.failed(data)
		case !knownEvent(name, data):
			return nil, nil // its fields may be anything
		}
		return nil, broken(fmt.Sprintf("an event %.40q that cannot be read", name), err)
	}
	if e.Type == "" {
		e.Type = name
	}
	switch e.Type {
	case "error":
		return nil, a.failed(data)
	case "response.created", "response.in_progress":
		_, err := a.read(e.Response)
		return nil, err
	case "response.failed":
		r, err := a.read(e.Response)
		if err != nil {
			return nil, err
		}
		return nil, a.failed(r.Error)
	case "response.completed", "response.incomplete":
		return a.end(e.Response, emit)
	case "response.cancelled":
		return nil, &model.Error{Kind: model.KindIncomplete, Type: "cancelled", Message: "the API cancelled the response"}
	case "":
		if o, err := exchange.ReadObject(data); err == nil && o.Get("error") != nil {
			return nil, a.failed(data)
		}
	default:
		return nil, a.piece(e, emit)
	}
	return nil, nil
}

// knownEvent tells whether an event is one of those that Take reads.
func knownEvent(name string, data []byte) bool {
	var e struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(data, &e) != nil {
		return true // no event at all
	}
	kind := cmp.Or(e.Type, name)
	switch strings.TrimPrefix(kind, "response.") {
	case "created", "in_progress", "failed", "completed", "incomplete", "cancelled", "output_item.added", "output_item.done",
		"output_text.delta", "refusal.delta", "function_call_arguments.delta", "function_call_arguments.done":
		return true
	}
	return strings.HasPrefix(kind, "response.reasoning_") || kind == "error"
}

// piece reads an event about an output item.
func (a *responsesAnswer) piece(e responsesEvent, emit func(model.Event) bool) error {
	switch e.Type {
	case "response.output_item.added":
		return a.item(e.OutputIndex, e.Item, false, emit)
	case "response.output_item.done":
		return a.item(e.OutputIndex, e.Item, true, emit)
	case "response.output_text.delta", "response.refusal.delta":
		if e.Type == "response.refusal.delta" {
			a.parts.refused = true
		}
		if more := e.delta(); more != "" {
			a.content(a.at(e.OutputIndex, "message"), e.ContentIndex).add(more, emit)
		}
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		a.reasoning(e.OutputIndex).add(e.delta(), emit)
	case "response.reasoning_summary_part.added":
		if p := a.reasoning(e.OutputIndex); p.text.Len() > 0 {
			p.add("\n\n", emit)
		}
	case "response.function_call_arguments.delta", "response.function_call_arguments.done":
		it := a.items[e.OutputIndex]
		if it == nil || it.parts[0] == nil {
			return broken(fmt.Sprintf("arguments of item %d, which did not begin", e.OutputIndex), nil)
		}
		if e.Type == "response.function_call_arguments.delta" {
			it.parts[0].add(e.delta(), emit)
		} else if whole := text(e.Arguments); whole != "" {
			it.parts[0].settle(whole, emit)
		}
	}
	return nil
}

// at gives the item of an index, begun as one of kind when it was not yet.
func (a *responsesAnswer) at(index int, kind string) *item {
	if a.items == nil {
		a.items = map[int]*item{}
	}
	if a.items[index] == nil {
		a.items[index] = &item{kind: kind, parts: map[int]*part{}}
		a.begun = true
	}
	return a.items[index]
}

// content gives the part of a message's content. It begins with its first text,
// so that there are no empty blocks.
func (a *responsesAnswer) content(it *item, index int) *part {
	if it.parts[index] == nil {
		it.parts[index] = a.parts.begin(model.Block{Type: model.BlockText, Raw: phaseOf(it)})
	}
	return it.parts[index]
}

func (a *responsesAnswer) reasoning(index int) *part {
	it := a.at(index, "reasoning")
	if it.parts[0] == nil {
		it.parts[0] = a.parts.begin(model.Block{Type: model.BlockThinking})
	}
	return it.parts[0]
}

func phaseOf(it *item) json.RawMessage {
	if it.phase == "" {
		return nil
	}
	o := &exchange.Object{}
	o.SetText("phase", it.phase)
	return o.JSON()
}

// Partial is what has come so far, see [model.Error].
func (a *responsesAnswer) Partial() *model.Message {
	if !a.begun {
		return nil
	}
	return a.parts.message(a.message, false)
}

var _ exchange.Answer = (*responsesAnswer)(nil)
