package anthropic

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/model/internal/exchange"
)

// answer puts a message together from the events of a stream.
type answer struct {
	header func(name string) string // of the HTTP answer
	now    func() time.Time         // may be nil

	begun   bool
	message model.Message
	blocks  []*block       // in order of their beginning
	byIndex map[int]*block // by the API's number
}

// event has the fields of all events that count here. Fields of blocks and
// deltas stay bytes: what is unknown must not be lost.
type event struct {
	Type    string `json:"type"`
	Message *struct {
		ID    string `json:"id"`
		Model string `json:"model"`
		Usage *usage `json:"usage"`
	} `json:"message"`
	Index        int             `json:"index"`
	ContentBlock json.RawMessage `json:"content_block"`
	Delta        json.RawMessage `json:"delta"`
	Usage        *usage          `json:"usage"`
}

// usage has pointers because a count that is not there leaves the earlier one.
type usage struct {
	Input         *int64 `json:"input_tokens"`
	Output        *int64 `json:"output_tokens"`
	CacheCreation *int64 `json:"cache_creation_input_tokens"`
	CacheRead     *int64 `json:"cache_read_input_tokens"`
}

// Take reads one event, see [exchange.Answer].
func (a *answer) Take(name string, data []byte, emit func(model.Event) bool) (*model.Message, error) {
	data = bytes.TrimSpace(data)
	if len(data) == 0 || name == "ping" {
		return nil, nil
	}
	var e event
	if err := json.Unmarshal(data, &e); err != nil {
		switch {
		case name == "error":
			return nil, a.failed(data)
		case !knownEvent(name, data):
			return nil, nil // its fields may be anything
		}
		return nil, a.broken(fmt.Sprintf("an event %s that cannot be read", quoted(name)), err)
	}
	if e.Type == "" {
		e.Type = name
	}
	switch e.Type {
	case "message_start":
		a.begun = true
		if e.Message != nil {
			a.message.ID, a.message.Model = e.Message.ID, e.Message.Model
			a.count(e.Message.Usage)
		}
	case "content_block_start":
		return nil, a.start(e, emit)
	case "content_block_delta":
		return nil, a.delta(e, emit)
	case "content_block_stop":
		if b := a.byIndex[e.Index]; b != nil {
			return nil, a.finish(b)
		}
	case "message_delta":
		return nil, a.end(e)
	case "message_stop":
		return a.whole()
	case "error":
		return nil, a.failed(data)
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
	switch cmp.Or(e.Type, name) {
	case "message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop", "error":
		return true
	}
	return false
}

func (a *answer) failed(data []byte) *model.Error {
	now := time.Now
	if a.now != nil {
		now = a.now
	}
	return classify(0, data, a.header, now())
}

// broken is a stream that is not of the API's form; another try may get a good one.
func (a *answer) broken(what string, err error) *model.Error {
	return &model.Error{Kind: model.KindIncomplete, Message: "the stream has " + what, Err: err}
}

func quoted(name string) string { return fmt.Sprintf("%.40q", name) }

func (a *answer) start(e event, emit func(model.Event) bool) error {
	if a.byIndex[e.Index] != nil {
		return a.broken(fmt.Sprintf("block %d twice", e.Index), nil)
	}
	b, err := newBlock(e.ContentBlock)
	if err != nil {
		return a.broken(fmt.Sprintf("block %d that cannot be read", e.Index), err)
	}
	b.position = len(a.blocks)
	a.blocks = append(a.blocks, b)
	if a.byIndex == nil {
		a.byIndex = map[int]*block{}
	}
	a.byIndex[e.Index] = b
	a.begun = true
	b.head(emit)
	return nil
}

func (a *answer) delta(e event, emit func(model.Event) bool) error {
	b := a.byIndex[e.Index]
	if b == nil {
		return a.broken(fmt.Sprintf("a piece of block %d, which did not begin", e.Index), nil)
	}
	if err := b.add(e.Delta, emit); err != nil {
		return a.broken(fmt.Sprintf("a piece of block %d that cannot be read", e.Index), err)
	}
	return nil
}

func (a *answer) finish(b *block) error {
	if err := b.finish(); err != nil {
		return a.broken("a block that cannot be put together", err)
	}
	return nil
}

// end reads why the model stopped. The counts are those of the whole answer.
func (a *answer) end(e event) error {
	var delta struct {
		StopReason model.StopReason `json:"stop_reason"`
	}
	if len(e.Delta) > 0 {
		if err := json.Unmarshal(e.Delta, &delta); err != nil {
			return a.broken("an end that cannot be read", err)
		}
	}
	if delta.StopReason != "" {
		a.message.StopReason = delta.StopReason
	}
	a.count(e.Usage)
	return nil
}

func (a *answer) count(u *usage) {
	if u == nil {
		return
	}
	if a.message.Usage == nil {
		a.message.Usage = &model.Usage{}
	}
	for _, c := range []struct {
		to   *int64
		from *int64
	}{
		{&a.message.Usage.InputTokens, u.Input},
		{&a.message.Usage.OutputTokens, u.Output},
		{&a.message.Usage.CacheCreationInputTokens, u.CacheCreation},
		{&a.message.Usage.CacheReadInputTokens, u.CacheRead},
	} {
		if c.from != nil && *c.from >= 0 {
			*c.to = *c.from
		}
	}
}

// whole is the final message. A reason to stop that was never said is what the
// content shows.
func (a *answer) whole() (*model.Message, error) {
	if !a.begun {
		return nil, a.broken("an end and no beginning", nil)
	}
	m := a.message
	m.Role = model.RoleAssistant
	for _, b := range a.blocks {
		if err := a.finish(b); err != nil {
			return nil, err
		}
		m.Content = append(m.Content, b.Block)
	}
	if m.StopReason == "" {
		m.StopReason = model.StopEndTurn
		if len(m.ToolUses()) > 0 {
			m.StopReason = model.StopToolUse
		}
	}
	return &m, nil
}

// Partial is what has come so far, see [model.Error].
func (a *answer) Partial() *model.Message {
	if !a.begun {
		return nil
	}
	m := a.message
	m.Role, m.StopReason = model.RoleAssistant, ""
	for _, b := range a.blocks {
		switch {
		case b.finished:
			m.Content = append(m.Content, b.Block)
		case b.is == model.BlockText:
			if text := b.text("text"); text != "" {
				m.Content = append(m.Content, model.Text(text))
			}
		}
	}
	return &m
}

var _ exchange.Answer = (*answer)(nil)
