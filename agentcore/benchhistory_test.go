package agentcore_test

import (
	"context"
	"fmt"
	"iter"
	"testing"

	"github.com/stophook/stophook/agentcore"
	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/tool"
)

// caller is a model that costs nothing: it calls a tool so many times and answers
// then, and reads nothing of its requests.
type caller struct{ left, n int }

func (c *caller) Stream(context.Context, *model.Request) iter.Seq2[model.Event, error] {
	m := &model.Message{Role: model.RoleAssistant, StopReason: model.StopEndTurn, Usage: &model.Usage{InputTokens: 9, OutputTokens: 9},
		Content: []model.Block{model.Text("I call it.")}}
	if c.left--; c.left >= 0 {
		c.n++
		m.StopReason = model.StopToolUse
		m.Content = append(m.Content, model.Block{Type: model.BlockToolUse, ID: fmt.Sprintf("c-%d", c.n), Name: "echo", Input: []byte(`{"text":"hello"}`)})
	}
	return func(yield func(model.Event, error) bool) { yield(model.Event{Message: m}, nil) }
}

// One operation is one turn with a tool call behind so many others: it must not cost
// more the longer the conversation is. Target: 200 µs.
func BenchmarkTurnBehind(b *testing.B) {
	for _, turns := range []int{10, 1000, 5000} {
		b.Run(fmt.Sprint(turns), func(b *testing.B) {
			_, s := benchSession(b)
			fill(b, s, turns)
			m := &caller{left: b.N}
			a, err := agentcore.New(agentcore.Config{Model: m, Session: s, Tools: []tool.Tool{echo()}, Behavior: agentcore.Behavior{MaxTurns: -1}})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			b.ResetTimer()
			finish(b, a, agentcore.RunOptions{Prompt: "go"})
		})
	}
}

// One operation is a turn with 100 deltas, which the reader and two handlers of the
// bus get.
func BenchmarkEmit(b *testing.B) {
	_, s := benchSession(b)
	bus := hook.NewBus(nil)
	for range 2 {
		hook.On(bus, hook.StreamText, func(context.Context, *hook.StreamTextPayload) error { return nil })
	}
	a, err := agentcore.New(agentcore.Config{Model: talker{}, Session: s, Bus: bus})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		finish(b, a, agentcore.RunOptions{Prompt: "go"})
	}
}

// talker says a hundred pieces of an answer.
type talker struct{}

func (talker) Stream(context.Context, *model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		for range 100 {
			if !yield(model.Event{Text: "word "}, nil) {
				return
			}
		}
		yield(model.Event{Message: &model.Message{Role: model.RoleAssistant, StopReason: model.StopEndTurn, Content: []model.Block{model.Text("words")}}}, nil)
	}
}
