package openai

import (
	"encoding/json"
	"strings"

	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/model/internal/exchange"
)

// itemType is the block type of output items that have no counterpart, and
// itemField the field of a raw block that holds an item.
const (
	itemType  model.BlockType = "openai_item"
	itemField string          = "openai_item"
)

// parts are the blocks of an answer on their way, in order of their beginning.
type parts struct {
	all     []*part
	refused bool
}

type part struct {
	position int
	block    model.Block // all but what is in text
	text     strings.Builder
	finished bool
}

func (p *parts) begin(b model.Block) *part {
	part := &part{position: len(p.all), block: b}
	p.all = append(p.all, part)
	return part
}

// add appends to a part's text, which is the input of a tool_use, and shows it.
func (p *part) add(more string, emit func(model.Event) bool) {
	if more == "" {
		return
	}
	p.text.WriteString(more)
	e := model.Event{Block: p.position}
	switch p.block.Type {
	case model.BlockText:
		e.Text = more
	case model.BlockThinking:
		e.Thinking = more
	case model.BlockToolUse:
		e.Input = more
	default:
		return
	}
	emit(e)
}

// settle sets a part's text to what the API says is the whole. What was not
// shown yet is.
func (p *part) settle(whole string, emit func(model.Event) bool) {
	if more, ok := strings.CutPrefix(whole, p.text.String()); ok {
		p.add(more, emit)
		return
	}
	p.text.Reset()
	p.text.WriteString(whole)
}

// whole puts the block together.
func (p *part) whole() model.Block {
	b := p.block
	switch b.Type {
	case model.BlockText:
		b.Text = p.text.String()
	case model.BlockThinking:
		b.Thinking = p.text.String()
	case model.BlockToolUse:
		b.Input = json.RawMessage(p.text.String())
		if strings.TrimSpace(p.text.String()) == "" {
			b.Input = json.RawMessage(`{}`)
		}
	}
	if b.Raw == nil {
		return b
	}
	// Raw has the fields that a block has no room for: the block's own go first.
	extra, err := exchange.ReadObject(b.Raw)
	if err != nil {
		b.Raw = nil
		return b
	}
	b.Raw = nil
	o := &exchange.Object{}
	o.SetText("type", string(b.Type))
	switch b.Type {
	case model.BlockText:
		o.SetText("text", b.Text)
	case model.BlockThinking:
		o.SetText("thinking", b.Thinking)
		o.SetText("signature", "")
	}
	extra.Each(o.Set)
	b.Raw = o.JSON()
	return b
}

// message gives the whole answer, or what of it can be kept when it is not
// complete: texts as far as they came, of the other blocks the finished ones.
func (p *parts) message(m model.Message, complete bool) *model.Message {
	m.Role = model.RoleAssistant
	for _, part := range p.all {
		isText := part.block.Type == model.BlockText
		switch {
		case isText && part.text.Len() == 0:
		case complete || part.finished || isText:
			m.Content = append(m.Content, part.whole())
		}
	}
	return &m
}

// stopReason is the reason of an answer that came to its own end.
func (p *parts) stopReason() model.StopReason {
	if p.refused {
		return model.StopRefusal
	}
	for _, part := range p.all {
		if part.block.Type == model.BlockToolUse {
			return model.StopToolUse
		}
	}
	return model.StopEndTurn
}

// count makes a usage of the API's numbers, which count cached tokens twice: as
// input, and apart.
func count(input, output, cacheRead, cacheWrite int64) *model.Usage {
	cacheRead, cacheWrite = max(cacheRead, 0), max(cacheWrite, 0)
	return &model.Usage{
		InputTokens:              max(input-cacheRead-cacheWrite, 0),
		OutputTokens:             max(output, 0),
		CacheReadInputTokens:     cacheRead,
		CacheCreationInputTokens: cacheWrite,
	}
}
