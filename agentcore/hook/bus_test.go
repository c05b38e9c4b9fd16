package hook_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/agentcore/model"
)

// reports collects what handlers did wrong.
type reports struct {
	mu   sync.Mutex
	list []*hook.HandlerError
}

func (r *reports) add(e *hook.HandlerError) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, e)
}

func (r *reports) texts() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var texts []string
	for _, e := range r.list {
		texts = append(texts, e.Error())
	}
	return texts
}

func newBus() (*hook.Bus, *reports) {
	r := &reports{}
	return hook.NewBus(r.add), r
}

func TestEmit_orderAndRemoval(t *testing.T) {
	b, _ := newBus()
	var heard []string
	listen := func(name string) func() {
		return hook.On(b, hook.StreamText, func(_ context.Context, p *hook.StreamTextPayload) error {
			heard = append(heard, name+p.Delta)
			return nil
		})
	}
	listen("a")
	remove := listen("b")
	listen("c")
	hook.Emit(t.Context(), b, hook.StreamText, &hook.StreamTextPayload{Delta: "1"})
	remove()
	remove() // twice does nothing, and takes nobody else
	hook.Emit(t.Context(), b, hook.StreamText, &hook.StreamTextPayload{Delta: "2"})
	listen("d")
	hook.Emit(t.Context(), b, hook.StreamText, &hook.StreamTextPayload{Delta: "3"})
	want := []string{"a1", "b1", "c1", "a2", "c2", "a3", "c3", "d3"}
	if diff := cmp.Diff(want, heard); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

func TestEmit_registrationWhileEmitting(t *testing.T) {
	b, _ := newBus()
	var heard []string
	var remove func()
	remove = hook.On(b, hook.StreamEnd, func(context.Context, *hook.StreamEndPayload) error {
		heard = append(heard, "once")
		remove()
		hook.On(b, hook.StreamEnd, func(context.Context, *hook.StreamEndPayload) error {
			heard = append(heard, "next")
			return nil
		})
		return nil
	})
	hook.Emit(t.Context(), b, hook.StreamEnd, &hook.StreamEndPayload{})
	if diff := cmp.Diff([]string{"once"}, heard); diff != "" {
		t.Errorf("an emit calls those that were there when it began (-want +got):\n%s", diff)
	}
	hook.Emit(t.Context(), b, hook.StreamEnd, &hook.StreamEndPayload{})
	if diff := cmp.Diff([]string{"once", "next"}, heard); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEmit_D20_observers(t *testing.T) {
	b, r := newBus()
	cause := errors.New("disk full")
	heard := 0
	hook.On(b, hook.ToolAfter, func(_ context.Context, p *hook.ToolAfterPayload) error {
		p.Result = "an observer changes nothing"
		return cause
	})
	hook.On(b, hook.ToolAfter, func(context.Context, *hook.ToolAfterPayload) error { panic("boom") })
	hook.On(b, hook.ToolAfter, func(_ context.Context, p *hook.ToolAfterPayload) error {
		if heard++; p.Result != "ok" {
			t.Errorf("result %q", p.Result)
		}
		return nil
	})
	payload := hook.ToolAfterPayload{IDs: hook.IDs{AgentID: "a1"}, Result: "ok"}
	hook.Emit(t.Context(), b, hook.ToolAfter, &payload)
	if heard != 1 || payload.Result != "ok" {
		t.Errorf("heard %d, payload %+v: a failing observer costs nobody else anything", heard, payload)
	}
	want := []string{"hook handler 0 of tool:after failed: disk full", "hook handler 1 of tool:after panicked: boom"}
	if diff := cmp.Diff(want, r.texts()); diff != "" {
		t.Errorf("reports (-want +got):\n%s", diff)
	}
	if !errors.Is(r.list[0], cause) || r.list[0].AgentID != "a1" || r.list[1].Stack == nil {
		t.Errorf("%+v: want the cause, the agent and a panic's stack", r.list)
	}
}

func TestEmit_D20_gates(t *testing.T) {
	type handler = func(context.Context, *hook.ToolGatePayload) error
	allow := func(context.Context, *hook.ToolGatePayload) error { return nil }
	deny := func(why string) handler {
		return func(_ context.Context, p *hook.ToolGatePayload) error { p.Refuse(why); return nil }
	}
	undo := func(_ context.Context, p *hook.ToolGatePayload) error {
		p.Block, p.Reason = false, "never mind"
		return nil
	}
	reword := func(_ context.Context, p *hook.ToolGatePayload) error { p.Reason += ", really"; return nil }
	fails := func(_ context.Context, p *hook.ToolGatePayload) error {
		p.Block, p.Reason = false, "half done"
		return errors.New("no policy")
	}
	panics := func(context.Context, *hook.ToolGatePayload) error { panic("nil map") }
	const failed = "a hook of tool:gate failed, and what it would have said is unknown, so this was refused; the person can see the failure in the log"
	tests := []struct {
		name     string
		handlers []handler
		block    bool
		reason   string
		reports  int
	}{
		{"nobody objects", []handler{allow, allow}, false, "", 0},
		{"one refuses", []handler{allow, deny("no"), allow}, true, "no", 0},
		{"a later one cannot allow", []handler{deny("no"), undo}, true, "no", 0},
		{"a later one can reword", []handler{deny("no"), reword}, true, "no, really", 0},
		{"an error refuses", []handler{fails, allow}, true, failed, 1},
		{"a panic refuses", []handler{panics, allow}, true, failed, 1},
		{"nor can it be undone", []handler{panics, undo}, true, failed, 1},
		{"a refusal keeps its reason when another fails", []handler{deny("no"), fails, panics}, true, "no", 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, r := newBus()
			for _, h := range tt.handlers {
				hook.On(b, hook.ToolGate, h)
			}
			p := hook.ToolGatePayload{Name: "shell"}
			hook.Emit(t.Context(), b, hook.ToolGate, &p)
			if p.Block != tt.block || p.Reason != tt.reason || len(r.list) != tt.reports {
				t.Errorf("block %v, reason %q, %d reports; want %v, %q, %d", p.Block, p.Reason, len(r.list), tt.block, tt.reason, tt.reports)
			}
		})
	}
}

func TestEmit_D20_stopFailsClosed(t *testing.T) {
	b, _ := newBus()
	hook.On(b, hook.Stop, func(context.Context, *hook.StopPayload) error { return errors.New("x") })
	p := hook.StopPayload{Active: true}
	hook.Emit(t.Context(), b, hook.Stop, &p)
	if !p.Block || !strings.Contains(p.Reason, "a hook of stop failed") || !p.Active {
		t.Errorf("%+v: a stop that could not be judged is held", p)
	}
}

func TestEmit_D20_transforms(t *testing.T) {
	b, r := newBus()
	hook.On(b, hook.ContextTransform, func(_ context.Context, p *hook.ContextTransformPayload) error {
		p.Messages[0].Content[0].Text = "first"
		return nil
	})
	hook.On(b, hook.ContextTransform, func(_ context.Context, p *hook.ContextTransformPayload) error {
		p.Messages[0].Content[0].Text = "half"
		p.Messages[0].Content[1].Input[0] = '['
		p.Messages = p.Messages[:0]
		panic("in the middle")
	})
	hook.On(b, hook.ContextTransform, func(_ context.Context, p *hook.ContextTransformPayload) error {
		p.Messages = append(p.Messages, model.Message{Role: model.RoleUser})
		return nil
	})
	mine := []model.Message{{Content: []model.Block{model.Text("mine"), {Type: model.BlockToolUse, Input: []byte(`{}`)}},
		Usage: &model.Usage{InputTokens: 1}}}
	p := hook.ContextTransformPayload{Messages: mine}
	hook.Emit(t.Context(), b, hook.ContextTransform, &p)
	want := []model.Message{{Content: []model.Block{model.Text("first"), {Type: model.BlockToolUse, Input: []byte(`{}`)}},
		Usage: &model.Usage{InputTokens: 1}}, {Role: model.RoleUser}}
	if diff := cmp.Diff(want, p.Messages); diff != "" {
		t.Errorf("what the failing handler did is gone, the others' is there (-want +got):\n%s", diff)
	}
	if mine[0].Content[0].Text != "mine" {
		t.Error("the caller's own messages were changed")
	}
	if len(r.list) != 1 {
		t.Errorf("reports %v", r.texts())
	}
}

func TestEmit_mutableAndPlain(t *testing.T) {
	b, _ := newBus()
	hook.On(b, hook.SystemBefore, func(_ context.Context, p *hook.SystemBeforePayload) error { p.System += "!"; return nil })
	hook.On(b, hook.ToolTransform, func(_ context.Context, p *hook.ToolTransformPayload) error {
		p.Result, p.IsError = "redacted", true
		return nil
	})
	system, tool := hook.SystemBeforePayload{System: "hi"}, hook.ToolTransformPayload{Result: "secret"}
	hook.Emit(t.Context(), b, hook.SystemBefore, &system)
	hook.Emit(t.Context(), b, hook.ToolTransform, &tool)
	if system.System != "hi!" || tool.Result != "redacted" || !tool.IsError {
		t.Errorf("%+v, %+v", system, tool)
	}
}

// Random handlers against a plain model of D-20: what a gate comes to.
func TestEmit_D20_propertyGateOnlyTightens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, r := newBus()
		want, faults := false, 0
		for i := range rapid.IntRange(0, 6).Draw(t, "handlers") {
			does := rapid.SampledFrom([]string{"allow", "deny", "undo", "error", "panic", "denies, then fails"}).Draw(t, "does")
			want = want || does == "deny" || does == "error" || does == "panic" || does == "denies, then fails"
			if does == "error" || does == "panic" || does == "denies, then fails" {
				faults++
			}
			hook.On(b, hook.ToolGate, func(_ context.Context, p *hook.ToolGatePayload) error {
				switch does {
				case "deny":
					p.Refuse(fmt.Sprint(i))
				case "undo":
					p.Block = false
				case "error":
					return errors.New("e")
				case "panic":
					panic(i)
				case "denies, then fails":
					p.Refuse("x")
					return errors.New("e")
				}
				return nil
			})
		}
		p := hook.ToolGatePayload{}
		hook.Emit(context.Background(), b, hook.ToolGate, &p)
		if p.Block != want || want && p.Reason == "" || len(r.list) != faults {
			t.Fatalf("%+v with %d reports, want block %v and %d", p, len(r.list), want, faults)
		}
	})
}
