package openai

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"strings"

	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/model/internal/exchange"
)

// chatAnswer puts a message together from the chunks of Chat.
type chatAnswer struct {
	failed func(data []byte) *model.Error

	begun    bool
	message  model.Message
	parts    parts
	text     *part
	thinking *part
	calls    map[int]*part // by the API's index
	last     *part         // the call that a piece without an index belongs to
	finish   string
}

type chunk struct {
	ID      string          `json:"id"`
	Model   string          `json:"model"`
	Error   json.RawMessage `json:"error"`
	Choices []struct {
		Index  int    `json:"index"`
		Delta  delta  `json:"delta"`
		Finish string `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		Prompt     int64 `json:"prompt_tokens"`
		Completion int64 `json:"completion_tokens"`
		Details    struct {
			Cached  int64 `json:"cached_tokens"`
			Written int64 `json:"cache_write_tokens"`
		} `json:"prompt_tokens_details"`
	} `json:"usage"`
}

// delta has the fields that servers send. The reasoning has two names.
type delta struct {
	Content   json.RawMessage `json:"content"`
	Refusal   string          `json:"refusal"`
	Reasoning json.RawMessage `json:"reasoning_content"`
	Reason    json.RawMessage `json:"reasoning"`
	ToolCalls []toolCallDelta `json:"tool_calls"`
}

type toolCallDelta struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// Take reads one chunk, see [exchange.Answer].
func (a *chatAnswer) Take(name string, data []byte, emit func(model.Event) bool) (*model.Message, error) {
	data = bytes.TrimSpace(data)
	switch {
	case len(data) == 0:
		return nil, nil
	case bytes.HasPrefix(data, []byte("[DONE]")):
		return a.whole()
	case name == "error":
		return nil, a.failed(data)
	}
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, broken("a chunk that cannot be read", err)
	}
	if len(c.Error) > 0 && string(c.Error) != "null" {
		return nil, a.failed(data)
	}
	a.begun = true
	if c.ID != "" {
		a.message.ID = c.ID
	}
	if c.Model != "" {
		a.message.Model = c.Model
	}
	if u := c.Usage; u != nil {
		a.message.Usage = count(u.Prompt, u.Completion, u.Details.Cached, u.Details.Written)
	}
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue // one answer was asked for
		}
		a.delta(choice.Delta, emit)
		if choice.Finish != "" {
			a.finish = choice.Finish
			for _, p := range a.parts.all {
				p.finished = true
			}
		}
	}
	return nil, nil
}

func (a *chatAnswer) delta(d delta, emit func(model.Event) bool) {
	reasoning := text(d.Reasoning)
	if reasoning == "" {
		reasoning = text(d.Reason)
	}
	if reasoning != "" {
		a.begin(&a.thinking, model.BlockThinking).add(reasoning, emit)
	}
	content := contentText(d.Content) + d.Refusal
	if d.Refusal != "" {
		a.parts.refused = true
	}
	if content != "" {
		a.begin(&a.text, model.BlockText).add(content, emit)
	}
	for _, call := range d.ToolCalls {
		a.call(call, emit)
	}
}

func (a *chatAnswer) begin(p **part, kind model.BlockType) *part {
	if *p == nil {
		*p = a.parts.begin(model.Block{Type: kind})
	}
	return *p
}

// call reads a piece of a tool call. Some servers give no index, one index to all
// calls, no id, or the arguments as an object.
func (a *chatAnswer) call(d toolCallDelta, emit func(model.Event) bool) {
	if a.calls == nil {
		a.calls = map[int]*part{}
	}
	p := a.last
	if d.Index != nil {
		p = a.calls[*d.Index]
	}
	another := p != nil && d.ID != "" && d.ID != p.block.ID && d.Function.Name != ""
	if p == nil || another {
		id := d.ID
		if id == "" {
			id = "call_" + rand.Text() // it must be unlike all others of a conversation
		}
		p = a.parts.begin(model.Block{Type: model.BlockToolUse, ID: id, Name: d.Function.Name})
		emit(model.Event{Block: p.position, ToolUse: &model.ToolUseHead{ID: id, Name: d.Function.Name}})
	}
	a.last = p
	if d.Index != nil {
		a.calls[*d.Index] = p
	}
	more := string(bytes.TrimSpace(d.Function.Arguments))
	switch {
	case more == "" || more == "null":
	case strings.HasPrefix(more, `"`):
		p.add(text(d.Function.Arguments), emit)
	default:
		p.add(more, emit)
	}
}

// contentText reads a content: a text, or a list of parts.
func contentText(raw json.RawMessage) string {
	if s := text(raw); s != "" {
		return s
	}
	var list []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(raw, &list)
	var all strings.Builder
	for _, p := range list {
		all.WriteString(p.Text)
	}
	return all.String()
}

// whole is the final message.
func (a *chatAnswer) whole() (*model.Message, error) {
	if a.finish == "" {
		return nil, broken("an end and no reason for it", nil)
	}
	m := a.parts.message(a.message, true)
	m.StopReason = a.parts.stopReason()
	switch a.finish {
	case "stop", "tool_calls", "function_call":
	case "length":
		m.StopReason = model.StopMaxTokens
	case "content_filter":
		m.StopReason = model.StopRefusal
	default:
		m.StopReason = model.StopReason(a.finish)
	}
	return m, nil
}

// Partial is what has come so far, see [model.Error].
func (a *chatAnswer) Partial() *model.Message {
	if !a.begun {
		return nil
	}
	return a.parts.message(a.message, false)
}

var _ exchange.Answer = (*chatAnswer)(nil)
