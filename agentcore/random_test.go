package agentcore_test

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"pgregory.net/rapid"

	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/model/scripted"
	"github.com/stophook/stophook/agentcore/tool"
)

// drawAnswers draws what a model will say.
func drawAnswers(t *rapid.T) []scripted.Step {
	steps := rapid.SliceOfN(rapid.Custom(drawAnswer), 0, 14).Draw(t, "answers")
	for i := range steps { // ids are of a place in the list, and never come twice
		for j := range steps[i].Tools {
			steps[i].Tools[j].ID = fmt.Sprintf("call_%d_%d", i, j)
		}
	}
	return steps
}

func drawAnswer(t *rapid.T) scripted.Step {
	s := scripted.Step{Text: rapid.SampledFrom([]string{"", "words", "more\nwords"}).Draw(t, "text"), Chunk: rapid.IntRange(0, 3).Draw(t, "chunk"),
		Usage: &scripted.Usage{Input: rapid.Int64Range(0, 9).Draw(t, "in"), Output: rapid.Int64Range(0, 9).Draw(t, "out")}}
	if rapid.IntRange(0, 5).Draw(t, "thinks") == 0 {
		s.Thinking = "let me see"
	}
	for range rapid.IntRange(0, 4).Draw(t, "calls") {
		name := rapid.SampledFrom([]string{"read", "read", "write", "strict", "panics", "denied", "refused", "blocks", "blocks", "stops", "breaks", "unknown", "spawn", "spawn"}).Draw(t, "tool")
		input := "{}"
		if name == "spawn" {
			input = `{"prompt":"a part"}`
		}
		s.Tools = append(s.Tools, scripted.Tool{Name: name, Input: scripted.Value(input)})
	}
	switch rapid.IntRange(0, 19).Draw(t, "end") {
	case 0, 1, 2:
		s.StopReason = model.StopMaxTokens
	case 3:
		s.StopReason = model.StopRefusal
	case 4:
		s.StopReason = model.StopPauseTurn
	case 5:
		s.StopReason = model.StopContextLimit
	case 6:
		after := rapid.IntRange(0, 3).Draw(t, "pieces")
		s.Cut = &after
	case 7:
		s.Error = &scripted.Failure{Kind: model.KindOverloaded, After: rapid.IntRange(0, 2).Draw(t, "pieces")}
	case 8:
		s.Error = &scripted.Failure{Kind: model.KindContextTooLong}
	}
	return s
}

// randomModel says the answers in order, to whoever asks, and is done then.
func randomModel(answers []scripted.Step) model.Model {
	var mu sync.Mutex
	m, err := scripted.New(scripted.Script{Forget: true, Steps: []scripted.Step{{Always: true, Answer: func(*model.Request) scripted.Step {
		mu.Lock()
		defer mu.Unlock()
		if len(answers) == 0 {
			return scripted.Step{Text: "That is all."}
		}
		s := answers[0]
		answers = answers[1:]
		return s
	}}}})
	if err != nil {
		panic(err)
	}
	return m
}

// blockers are calls that wait until the reader of the events has seen them begin.
type blockers struct {
	mu    sync.Mutex
	calls map[string]chan struct{}
	all   chan struct{}
}

func newBlockers() *blockers {
	return &blockers{calls: map[string]chan struct{}{}, all: make(chan struct{})}
}

func (b *blockers) call(id string) chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.calls[id] == nil {
		b.calls[id] = make(chan struct{})
	}
	return b.calls[id]
}

func (b *blockers) release(id string) {
	c := b.call(id)
	select {
	case <-c:
	default:
		close(c)
	}
}

func (b *blockers) releaseAll() { close(b.all) }

func randomTools(b *blockers) []tool.Tool {
	const free = `{"type":"object"}`
	made := func(name, schema string, run func(context.Context, *tool.Call) (*tool.Result, error), opts ...tool.Option) tool.Tool {
		t, err := tool.FromSchema(name, "a tool", []byte(schema), run, opts...)
		if err != nil {
			panic(err)
		}
		return t
	}
	says := func(_ context.Context, c *tool.Call) (*tool.Result, error) {
		return &tool.Result{Text: "did " + c.Name}, nil
	}
	return []tool.Tool{
		made("read", free, says, tool.ReadOnly()),
		made("write", free, says),
		made("denied", free, says, tool.Parallel()),
		made("refused", free, says),
		made("strict", `{"type":"object","required":["path"],"properties":{"path":{"type":"string"}}}`, says, tool.Parallel()),
		made("panics", free, func(context.Context, *tool.Call) (*tool.Result, error) { panic("a bug") }, tool.Parallel()),
		made("stops", free, func(context.Context, *tool.Call) (*tool.Result, error) {
			return &tool.Result{Text: "enough", StopTurn: true}, nil
		}),
		made("breaks", free, func(context.Context, *tool.Call) (*tool.Result, error) { return nil, errors.New("the disk is gone") }),
		made("blocks", free, func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
			select {
			case <-b.call(c.ID):
			case <-b.all:
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
			return &tool.Result{Text: "waited"}, nil
		}, tool.Parallel()),
	}
}

// heard is what the bus told.
type heard struct {
	mu    sync.Mutex
	done  map[string]int // by run
	own   int            // of the session's own agent
	after map[string]int // by agent and call
}

func (h *heard) listen(bus *hook.Bus, holds int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.done == nil {
		h.done, h.after = map[string]int{}, map[string]int{}
	}
	hook.On(bus, hook.Stop, func(_ context.Context, p *hook.StopPayload) error {
		if holds--; holds >= 0 {
			p.Refuse("not yet")
		}
		return nil
	})
	hook.On(bus, hook.ToolGate, func(_ context.Context, p *hook.ToolGatePayload) error {
		if p.Name == "refused" {
			p.Refuse("never")
		}
		return nil
	})
	done := func(p *hook.AgentDonePayload) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.done[p.RunID]++
		if p.Depth == 0 {
			h.own++
		}
	}
	after := func(p *hook.ToolAfterPayload) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.after[p.AgentID+"/"+p.CallID]++
	}
	hook.On(bus, hook.AgentDone, func(_ context.Context, p *hook.AgentDonePayload) error { done(p); return nil })
	hook.On(bus, hook.ChildOf(hook.AgentDone), func(_ context.Context, c *hook.Child[hook.AgentDonePayload]) error { done(c.Payload); return nil })
	hook.On(bus, hook.ToolAfter, func(_ context.Context, p *hook.ToolAfterPayload) error { after(p); return nil })
	hook.On(bus, hook.ChildOf(hook.ToolAfter), func(_ context.Context, c *hook.Child[hook.ToolAfterPayload]) error { after(c.Payload); return nil })
}

func (h *heard) check(t *rapid.T, runs int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.own != runs {
		t.Errorf("%d runs, %d ends on the bus (RT-9)", runs, h.own)
	}
	for id, n := range h.done {
		if n != 1 {
			t.Errorf("run %s ended %d times on the bus (RT-9)", id, n)
		}
	}
	for id, n := range h.after {
		if n != 1 {
			t.Errorf("the end of call %s was told %d times (AC-181)", id, n)
		}
	}
}
