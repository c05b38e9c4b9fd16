package agentcore_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stophook/stophook/agentcore"
	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/model/scripted"
	"github.com/stophook/stophook/agentcore/session"
	"github.com/stophook/stophook/agentcore/tool"
)

// asks is a model that calls a tool at every turn, and answers at the last.
func asks(calls int) *scripted.Model {
	n := 0
	m, err := scripted.New(scripted.Script{Forget: true, Steps: []scripted.Step{{Always: true, Answer: func(*model.Request) scripted.Step {
		if n++; n > calls {
			n = 0
			return scripted.Step{Text: "Done."}
		}
		return scripted.Step{Text: "I call it.", Tools: []scripted.Tool{{ID: fmt.Sprintf("call-%d", n), Name: "echo", Input: scripted.Value(`{"text":"hello"}`)}}}
	}}}})
	if err != nil {
		panic(err)
	}
	return m
}

func benchSession(tb testing.TB) (*session.Store, *session.Session) {
	tb.Helper()
	store, err := session.NewStore(session.Options{Root: tb.TempDir()})
	if err != nil {
		tb.Fatal(err)
	}
	s, err := store.Create(session.Meta{CWD: tb.TempDir()})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { s.Close() })
	return store, s
}

func finish(tb testing.TB, a *agentcore.Agent, opts agentcore.RunOptions) {
	tb.Helper()
	res, err := agentcore.Final(a.Run(context.Background(), opts))
	if err != nil || res.End != agentcore.EndCompleted {
		tb.Fatalf("%+v, %v", res, err)
	}
}

// One operation is one turn with one tool call: a request, its answer, the call, and
// the rows of both in a real file. Targets: 200 µs, 20 KB.
func BenchmarkTurn(b *testing.B) {
	for _, turns := range []int{20, 1000} {
		b.Run(fmt.Sprintf("of%d", turns), func(b *testing.B) {
			b.ReportAllocs()
			for left := b.N; left > 0; left -= turns {
				b.StopTimer()
				n := min(left, turns)
				_, s := benchSession(b)
				a, err := agentcore.New(agentcore.Config{Model: asks(n), Session: s, Tools: []tool.Tool{echo()}, Behavior: agentcore.Behavior{MaxTurns: -1}})
				if err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				finish(b, a, agentcore.RunOptions{Prompt: "go"})
			}
		})
	}
}

// fill writes a session with so many turns, a call in each.
func fill(tb testing.TB, s *session.Session, turns int) {
	tb.Helper()
	text := strings.Repeat("some words of an answer ", 20)
	for i := range turns {
		if _, err := s.UserPrompt(session.Prompt{Text: fmt.Sprintf("prompt %d", i)}); err != nil {
			tb.Fatal(err)
		}
		id := fmt.Sprintf("call-%d", i)
		for _, m := range []model.Message{
			{Role: model.RoleAssistant, StopReason: model.StopToolUse, Usage: &model.Usage{InputTokens: 9, OutputTokens: 9}, Content: []model.Block{
				model.Text(text), {Type: model.BlockToolUse, ID: id, Name: "echo", Input: []byte(`{"text":"hello"}`)}}},
			{Role: model.RoleAssistant, StopReason: model.StopEndTurn, Usage: &model.Usage{InputTokens: 9, OutputTokens: 9}, Content: []model.Block{model.Text(text)}},
		} {
			if _, err := s.Assistant(&m, ""); err != nil {
				tb.Fatal(err)
			}
			if m.StopReason == model.StopToolUse {
				if err := s.ToolResults(session.ToolResult{CallID: id, Text: text}); err != nil {
					tb.Fatal(err)
				}
			}
		}
	}
}

// One operation takes a session of 5,000 turns up and makes its first request. Target:
// 300 ms.
func BenchmarkResume5000(b *testing.B) {
	store, s := benchSession(b)
	fill(b, s, 5000)
	id := s.ID()
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		s, err := store.Open(id)
		if err != nil {
			b.Fatal(err)
		}
		a, err := agentcore.New(agentcore.Config{Model: asks(0), Session: s, Tools: []tool.Tool{echo()}})
		if err != nil {
			b.Fatal(err)
		}
		finish(b, a, agentcore.RunOptions{Prompt: "go on"})
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// One operation is 200 agents that work beside each other, ten calls each.
func BenchmarkAgents200(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		var wg sync.WaitGroup
		for range 200 {
			_, s := benchSession(b)
			a, err := agentcore.New(agentcore.Config{Model: asks(10), Session: s, Tools: []tool.Tool{echo()}})
			if err != nil {
				b.Fatal(err)
			}
			wg.Go(func() { finish(b, a, agentcore.RunOptions{Prompt: "go"}) })
		}
		wg.Wait()
	}
}
