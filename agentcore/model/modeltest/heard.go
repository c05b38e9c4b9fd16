package modeltest

import (
	"encoding/json"
	"errors"
	"iter"
	"strings"

	"github.com/stophook/stophook/agentcore/model"
)

// heard is what came out of a stream.
type heard struct {
	events []model.Event // deltas
	final  *model.Message
	err    error
}

// listen reads a stream to its end and checks the rules that hold for all.
func listen(t tester, stream iter.Seq2[model.Event, error]) *heard {
	t.Helper()
	h := &heard{}
	for event, err := range stream {
		switch {
		case h.err != nil || h.final != nil:
			t.Fatalf("the stream goes on after its end: %+v, %v", event, err)
		case err != nil:
			h.err = err
		case event.Message != nil:
			h.final = event.Message
		default:
			h.events = append(h.events, event)
		}
	}
	switch {
	case h.err != nil:
		var e *model.Error
		if !errors.As(h.err, &e) {
			t.Fatalf("the error is a %T, no *model.Error: %v", h.err, h.err)
		}
		if strings.Contains(h.err.Error(), APIKey) {
			t.Errorf("the error shows the API key")
		}
		h.checkPartial(t, e)
	case h.final == nil:
		t.Fatalf("the stream ended with neither a message nor an error")
	default:
		h.checkDeltas(t)
	}
	return h
}

// checkDeltas compares what was shown with the final message.
func (h *heard) checkDeltas(t tester) {
	t.Helper()
	if h.final.Role != model.RoleAssistant {
		t.Errorf("the answer's role is %q", h.final.Role)
	}
	shown := make([]model.Block, len(h.final.Content))
	for _, event := range h.events {
		if event.Block < 0 || event.Block >= len(shown) {
			t.Errorf("a delta belongs to block %d, and there are %d", event.Block, len(shown))
			return
		}
		b := &shown[event.Block]
		b.Text += event.Text
		b.Thinking += event.Thinking
		b.Input = append(b.Input, event.Input...)
		if event.ToolUse != nil {
			b.ID, b.Name = event.ToolUse.ID, event.ToolUse.Name
		}
	}
	for i, b := range h.final.Content {
		s := shown[i]
		switch b.Type {
		case model.BlockText:
			if s.Text != b.Text {
				t.Errorf("block %d: the deltas say %.200q, the message %.200q", i, s.Text, b.Text)
			}
		case model.BlockThinking:
			if s.Thinking != b.Thinking {
				t.Errorf("block %d: the deltas think %.200q, the message %.200q", i, s.Thinking, b.Thinking)
			}
		case model.BlockToolUse:
			if s.ID != b.ID || s.Name != b.Name {
				t.Errorf("block %d: begins as the call %q of %q, but is %q of %q", i, s.ID, s.Name, b.ID, b.Name)
			}
			if !sameInput(s.Input, b.Input) {
				t.Errorf("block %d: the input in pieces is %.200q, in the message %.200q", i, s.Input, b.Input)
			}
		}
	}
}

// checkPartial holds the partial answer to its promise.
func (h *heard) checkPartial(t tester, e *model.Error) {
	t.Helper()
	if e.Partial == nil {
		if len(h.events) > 0 {
			t.Errorf("%d deltas were shown, and the error has no Partial: %v", len(h.events), e)
		}
		return
	}
	if e.Partial.StopReason != "" {
		t.Errorf("a partial answer has the stop reason %q", e.Partial.StopReason)
	}
	text := ""
	for _, event := range h.events {
		text += event.Text
	}
	kept := ""
	for _, b := range e.Partial.Content {
		kept += b.Text
		if b.Type == model.BlockToolUse && !json.Valid(b.InputObject()) {
			t.Errorf("half a tool call is kept: %s", b.Input)
		}
	}
	if kept != text {
		t.Errorf("the text shown was %.200q, Partial keeps %.200q", text, kept)
	}
}
