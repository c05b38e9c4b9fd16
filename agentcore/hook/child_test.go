package hook_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/agentcore/hook"
)

func TestChild_bubbles(t *testing.T) {
	root, _ := newBus()
	child := root.Child("c1")
	grandchild := child.Child("g1")
	var heard []string
	note := func(b *hook.Bus, where string) {
		hook.On(b, hook.ToolAfter, func(_ context.Context, p *hook.ToolAfterPayload) error {
			heard = append(heard, where+" own "+p.CallID)
			return nil
		})
		hook.On(b, hook.ChildOf(hook.ToolAfter), func(_ context.Context, c *hook.Child[hook.ToolAfterPayload]) error {
			heard = append(heard, fmt.Sprintf("%s child %s of %s at %d", where, c.Payload.CallID, c.ChildID, c.Depth))
			return nil
		})
	}
	note(root, "root")
	note(child, "child")
	note(grandchild, "grandchild")
	hook.Emit(t.Context(), root, hook.ToolAfter, &hook.ToolAfterPayload{IDs: hook.IDs{CallID: "r"}})
	hook.Emit(t.Context(), child, hook.ToolAfter, &hook.ToolAfterPayload{IDs: hook.IDs{CallID: "c"}})
	hook.Emit(t.Context(), grandchild, hook.ToolAfter, &hook.ToolAfterPayload{IDs: hook.IDs{CallID: "g"}})
	want := []string{
		"root own r",
		"child own c", "root child c of c1 at 1",
		"grandchild own g", "child child g of g1 at 2", "root child g of g1 at 2",
	}
	if diff := cmp.Diff(want, heard); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if grandchild.Depth() != 2 || root.Depth() != 0 {
		t.Errorf("depths %d and %d", grandchild.Depth(), root.Depth())
	}
}

// What the person's bus forbids, no subagent may do; its stop is another matter.
func TestChild_gatesAreInherited(t *testing.T) {
	root, r := newBus()
	child := root.Child("c1").Child("g1")
	var order []string
	hook.On(root, hook.ToolGate, func(_ context.Context, p *hook.ToolGatePayload) error {
		order = append(order, "root")
		p.Refuse("no")
		return nil
	})
	hook.On(child, hook.ToolGate, func(_ context.Context, p *hook.ToolGatePayload) error {
		order = append(order, "child")
		p.Block = false
		return nil
	})
	hook.On(root, hook.Stop, func(_ context.Context, p *hook.StopPayload) error { p.Refuse("go on"); return nil })
	if !hook.Listens(child, hook.ToolGate) || hook.Listens(child, hook.Stop) {
		t.Error("a gate listens for the children, a stop does not")
	}
	gate, stop := hook.ToolGatePayload{}, hook.StopPayload{}
	hook.Emit(t.Context(), child, hook.ToolGate, &gate)
	hook.Emit(t.Context(), child, hook.Stop, &stop)
	if !gate.Block || gate.Reason != "no" || stop.Block {
		t.Errorf("gate %+v, stop %+v", gate, stop)
	}
	if diff := cmp.Diff([]string{"root", "child"}, order); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(r.list) != 0 {
		t.Errorf("reports %v", r.texts())
	}
}

func TestChild_handlersAboveHaveTheSameRights(t *testing.T) {
	root, r := newBus()
	child := root.Child("c1")
	hook.On(root, hook.ChildOf(hook.ToolTransform), func(_ context.Context, c *hook.Child[hook.ToolTransformPayload]) error {
		c.Payload.Result = "redacted"
		return nil
	})
	hook.On(root, hook.ChildOf(hook.ToolTransform), func(_ context.Context, c *hook.Child[hook.ToolTransformPayload]) error {
		c.Payload.Result = "half"
		return errors.New("x")
	})
	hook.On(root, hook.ChildOf(hook.Stop), func(_ context.Context, c *hook.Child[hook.StopPayload]) error { panic("x") })
	tool, stop := hook.ToolTransformPayload{IDs: hook.IDs{AgentID: "c1"}, Result: "secret"}, hook.StopPayload{}
	hook.Emit(t.Context(), child, hook.ToolTransform, &tool)
	hook.Emit(t.Context(), child, hook.Stop, &stop)
	if tool.Result != "redacted" || !stop.Block {
		t.Errorf("%+v, %+v", tool, stop)
	}
	if len(r.list) != 2 || r.list[0].Point != "child:tool:transform" || r.list[0].AgentID != "c1" {
		t.Errorf("reports %v", r.texts())
	}
}

func TestBus_nilListensToNobody(t *testing.T) {
	var none *hook.Bus
	p := hook.StopPayload{}
	hook.Emit(t.Context(), none, hook.Stop, &p)
	hook.Emit(t.Context(), none.Child("c"), hook.Stop, &p)
	if p.Block || hook.Listens(none, hook.Stop) || none.Depth() != 0 || none.Child("c").Depth() != 1 {
		t.Errorf("%+v", p)
	}
}

func TestOn_mistakesOfTheProgram(t *testing.T) {
	b, _ := newBus()
	hook.On(b, hook.Stop, func(context.Context, *hook.StopPayload) error { return nil })
	for name, f := range map[string]func(){
		"nil bus": func() { hook.On(nil, hook.Stop, func(context.Context, *hook.StopPayload) error { return nil }) },
		"nil fn":  func() { hook.On(b, hook.Stop, nil) },
		"two types": func() {
			const other hook.Point[hook.TurnAfterPayload] = "stop"
			hook.On(b, other, func(context.Context, *hook.TurnAfterPayload) error { return nil })
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		})
	}
}

// A point of another package: nothing here has a list of them (issue 7's
// background:reconcile is one).
type reconcile struct {
	hook.IDs
	Exits []string
}

func (r *reconcile) Clone() reconcile {
	c := *r
	c.Exits = append([]string(nil), r.Exits...)
	return c
}

func TestPoint_ofAnotherPackage(t *testing.T) {
	const point hook.Point[reconcile] = "background:reconcile"
	b, r := newBus()
	hook.On(b, point, func(_ context.Context, p *reconcile) error { p.Exits = p.Exits[1:]; return nil })
	hook.On(b, point, func(_ context.Context, p *reconcile) error { p.Exits[0] = "x"; return errors.New("x") })
	p := reconcile{IDs: hook.IDs{AgentID: "a"}, Exits: []string{"1", "2"}}
	hook.Emit(t.Context(), b, point, &p)
	if diff := cmp.Diff([]string{"2"}, p.Exits); diff != "" || r.list[0].AgentID != "a" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Emits, registrations and removals from many goroutines; the race detector judges.
func TestBus_concurrent(t *testing.T) {
	b, _ := newBus()
	child := b.Child("c")
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 100 {
				remove := hook.On(b, hook.ToolGate, func(_ context.Context, p *hook.ToolGatePayload) error {
					if i%2 == 0 {
						p.Refuse("x")
					}
					return nil
				})
				p := hook.ToolGatePayload{}
				hook.Emit(context.Background(), child, hook.ToolGate, &p)
				if i%2 == 0 && !p.Block {
					t.Error("the own handler was not heard")
				}
				remove()
			}
		})
	}
	all.Wait()
	if hook.Listens(child, hook.ToolGate) {
		t.Error("somebody still listens")
	}
}

func TestEmit_nobodyListens_noAllocation(t *testing.T) {
	b, _ := newBus()
	hook.On(b, hook.Stop, func(context.Context, *hook.StopPayload) error { return nil }) // another point
	child := b.Child("c")
	ctx := t.Context()
	got := testing.AllocsPerRun(100, func() {
		hook.Emit(ctx, b, hook.StreamText, &hook.StreamTextPayload{Delta: "x"})
		hook.Emit(ctx, child, hook.ToolAfter, &hook.ToolAfterPayload{Name: "shell"})
		hook.Emit(ctx, nil, hook.ToolGate, &hook.ToolGatePayload{Name: "shell"})
	})
	if got != 0 {
		t.Errorf("%v allocations, want none", got)
	}
}

func BenchmarkEmit(b *testing.B) {
	ctx := b.Context()
	b.Run("nobody", func(b *testing.B) {
		bus := hook.NewBus(nil)
		b.ReportAllocs()
		for b.Loop() {
			hook.Emit(ctx, bus, hook.StreamText, &hook.StreamTextPayload{Delta: "x"})
		}
	})
	b.Run("one", func(b *testing.B) {
		bus := hook.NewBus(nil)
		hook.On(bus, hook.StreamText, func(context.Context, *hook.StreamTextPayload) error { return nil })
		b.ReportAllocs()
		for b.Loop() {
			hook.Emit(ctx, bus, hook.StreamText, &hook.StreamTextPayload{Delta: "x"})
		}
	})
}
