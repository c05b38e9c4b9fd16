package scripted

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/stophook/stophook/agentcore/model"
)

// player streams one step.
type player struct {
	model   *Model
	step    Step
	message *model.Message
	yield   func(model.Event, error) bool

	begun   bool          // as far as the caller can know
	pieces  int           // that were sent
	partial model.Message // what was sent
}

var errLeft = errors.New("nobody listens")

func (p *player) play(ctx context.Context) {
	err := p.stream(ctx)
	var failed *model.Error
	switch {
	case err == nil:
		p.yield(model.Event{Message: p.message}, nil)
	case errors.As(err, &failed):
		p.yield(model.Event{}, failed)
	}
}

// stream sends the pieces. What should happen after n of them happens when n
// have been sent, or at the end when there are fewer.
func (p *player) stream(ctx context.Context) error {
	if err := p.sleep(ctx, p.step.Delay); err != nil {
		return err
	}
	if err := p.stop(ctx, false); err != nil {
		return err
	}
	p.begun = true
	for i, b := range p.message.Content {
		if err := p.block(ctx, i, b); err != nil {
			return err
		}
		p.partial.Content = append(p.partial.Content[:min(len(p.partial.Content), i)], b)
	}
	if err := p.stop(ctx, true); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return p.aborted(ctx)
	}
	return nil
}

func (p *player) block(ctx context.Context, i int, b model.Block) error {
	switch b.Type {
	case model.BlockText:
		return p.chunks(ctx, b.Text, func(piece string) model.Event {
			if len(p.partial.Content) == i {
				p.partial.Content = append(p.partial.Content, model.Text(""))
			}
			p.partial.Content[i].Text += piece
			return model.Event{Block: i, Text: piece}
		})
	case model.BlockThinking:
		return p.chunks(ctx, b.Thinking, func(piece string) model.Event { return model.Event{Block: i, Thinking: piece} })
	case model.BlockToolUse:
		head := model.Event{Block: i, ToolUse: &model.ToolUseHead{ID: b.ID, Name: b.Name}}
		if !p.yield(head, nil) {
			return errLeft
		}
		return p.chunks(ctx, string(b.Input), func(piece string) model.Event { return model.Event{Block: i, Input: piece} })
	}
	return nil
}

// chunks sends a text in pieces of so many characters.
func (p *player) chunks(ctx context.Context, text string, event func(piece string) model.Event) error {
	for text != "" {
		end := len(text)
		if p.step.Chunk > 0 {
			end = 0
			for n := 0; n < p.step.Chunk && end < len(text); n++ {
				_, size := utf8.DecodeRuneInString(text[end:])
				end += size
			}
		}
		if p.pieces > 0 {
			if err := p.sleep(ctx, p.step.Pause); err != nil {
				return err
			}
		}
		if ctx.Err() != nil {
			return p.aborted(ctx)
		}
		if !p.yield(event(text[:end]), nil) {
			return errLeft
		}
		text = text[end:]
		p.pieces++
		if err := p.stop(ctx, false); err != nil {
			return err
		}
	}
	return nil
}

// stop does what the step wants after so many pieces.
func (p *player) stop(ctx context.Context, end bool) error {
	due := func(after int) bool { return after == p.pieces && !end || end && after > p.pieces }
	if w := p.step.Wait; w != nil && due(w.After) {
		select {
		case <-p.model.arrive(w.Name):
		case <-ctx.Done():
			return p.aborted(ctx)
		}
	}
	if f := p.step.Error; f != nil && due(f.After) {
		failed := f.error()
		failed.Partial = p.soFar()
		return failed
	}
	if p.step.Cut != nil && due(*p.step.Cut) {
		return model.Broken(ctx, nil, p.soFar())
	}
	return nil
}

func (p *player) sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return p.aborted(ctx)
	}
}

func (p *player) aborted(ctx context.Context) error { return model.Aborted(ctx, p.soFar()) }

// soFar is the Partial of an error. An API tells of the input's tokens first,
// and of one of the output.
func (p *player) soFar() *model.Message {
	if !p.begun {
		return nil
	}
	m := p.partial
	m.ID, m.Role, m.Model = p.message.ID, p.message.Role, p.message.Model
	usage := *p.message.Usage
	usage.OutputTokens = min(usage.OutputTokens, 1)
	m.Usage = &usage
	return &m
}

func (f *Failure) error() *model.Error {
	e := &model.Error{Kind: f.Kind, Status: f.Status, Type: f.Type, Message: f.Message, RetryAfter: f.RetryAfter, ResetAt: f.ResetAt}
	if e.Kind == "" {
		e.Kind = model.KindServer
	}
	if e.Message == "" {
		e.Message = "as the script says"
	}
	return e
}

// message makes the answer of a step. The lock is held.
func (m *Model) message(i int, step Step, req *model.Request) *model.Message {
	id := func(kind string, more ...int) string {
		text := fmt.Sprintf("%s_%s%04d", kind, m.script.Prefix, i+1)
		if m.times[i] > 1 {
			text += fmt.Sprintf("x%d", m.times[i])
		}
		for _, n := range more {
			text += fmt.Sprintf("_%d", n)
		}
		return text
	}
	for called(req, id("toolu", 1)) { // a resumed session, and the script begins anew
		m.times[i]++
	}
	msg := &model.Message{ID: id("msg"), Role: model.RoleAssistant, Model: m.script.Model, StopReason: step.StopReason, Usage: &model.Usage{InputTokens: 100, OutputTokens: 20}}
	if msg.Model == "" {
		msg.Model = req.Model
	}
	if msg.Model == "" {
		msg.Model = "scripted"
	}
	if u := step.Usage; u != nil {
		msg.Usage = &model.Usage{InputTokens: u.Input, OutputTokens: u.Output, CacheCreationInputTokens: u.CacheWrite, CacheReadInputTokens: u.CacheRead}
	}
	calls := 0
	for _, part := range step.parts() {
		b := part.block(m.fill)
		if part.Tool != nil {
			calls++
			if b.ID == "" {
				b.ID = id("toolu", calls)
			}
		}
		msg.Content = append(msg.Content, b)
	}
	if msg.StopReason == "" {
		msg.StopReason = model.StopEndTurn
		if calls > 0 {
			msg.StopReason = model.StopToolUse
		}
	}
	return msg
}

// called tells whether a call of that id is in the conversation.
func called(req *model.Request, id string) bool {
	for i := range req.Messages {
		for j := range req.Messages[i].Content {
			if b := &req.Messages[i].Content[j]; b.Type == model.BlockToolUse && b.ID == id {
				return true
			}
		}
	}
	return false
}

// parts gives the content in order.
func (s Step) parts() []Part {
	if len(s.Content) > 0 {
		return s.Content
	}
	parts := make([]Part, 0, 2+len(s.Tools))
	if s.Thinking != "" {
		parts = append(parts, Part{Thinking: s.Thinking})
	}
	if s.Text != "" {
		parts = append(parts, Part{Text: s.Text})
	}
	for i := range s.Tools {
		parts = append(parts, Part{Tool: &s.Tools[i]})
	}
	return parts
}

func (p Part) block(fill func(text string, inJSON bool) string) model.Block {
	switch {
	case p.Tool != nil:
		b := model.Block{Type: model.BlockToolUse, ID: p.Tool.ID, Name: p.Tool.Name, Input: json.RawMessage(fill(string(p.Tool.Input), true))}
		if p.Tool.InputText != "" {
			b.Input = json.RawMessage(fill(p.Tool.InputText, true))
		}
		if len(b.Input) == 0 {
			b.Input = json.RawMessage(`{}`)
		}
		return b
	case p.Thinking != "":
		b := model.Block{Type: model.BlockThinking, Thinking: fill(p.Thinking, false), Signature: p.Signature}
		if b.Signature == "" {
			b.Signature = "scripted-signature"
		}
		return b
	case p.Redacted != "":
		return model.Block{Type: model.BlockRedactedThinking, Data: p.Redacted}
	case p.Raw != nil:
		var b model.Block
		if err := json.Unmarshal(p.Raw, &b); err != nil {
			return model.Block{Raw: json.RawMessage(p.Raw)} // validate has looked
		}
		return b
	}
	return model.Text(fill(p.Text, false))
}

// fill writes what was found earlier where {{name}} stands. The lock is held.
func (m *Model) fill(text string, inJSON bool) string {
	if len(m.found) == 0 || !strings.Contains(text, "{{") {
		return text
	}
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, "{{")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		name, after, closed := strings.Cut(rest, "}}")
		value, known := m.found[strings.TrimSpace(name)]
		if !closed || !known {
			out.WriteString("{{")
			text = rest
			continue
		}
		if inJSON {
			quoted := appendText(nil, value)
			value = string(quoted[1 : len(quoted)-1])
		}
		out.WriteString(value)
		text = after
	}
}
