package agenttest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/agentcore/model"
)

// bus has the handlers of the scenario, and the runner's own one that counts ends.
func (st *stage) bus() *hook.Bus {
	st.t.Helper()
	bus := hook.NewBus(func(err *hook.HandlerError) { st.out.note("-- reported: %s: %s", err.Point, reported(err)) })
	hook.On(bus, hook.AgentDone, func(context.Context, *hook.AgentDonePayload) error { st.sums.done++; return nil })
	for _, h := range st.s.setup.Bus {
		l := &listener{Handler: h, stage: st}
		switch h.Point {
		case string(hook.ToolGate):
			listen(bus, hook.ToolGate, l, func(p *hook.ToolGatePayload) string { return p.Name }, func(p *hook.ToolGatePayload) { p.Refuse(h.Refuse) })
		case string(hook.Stop):
			listen(bus, hook.Stop, l, func(p *hook.StopPayload) string { return fmt.Sprintf("active=%v blocks=%d", p.Active, p.Blocks) }, func(p *hook.StopPayload) { p.Refuse(h.Refuse) })
		case string(hook.ToolBefore):
			listen(bus, hook.ToolBefore, l, func(p *hook.ToolBeforePayload) string { return p.Name }, nil)
		case string(hook.ToolAfter):
			listen(bus, hook.ToolAfter, l, func(p *hook.ToolAfterPayload) string { return p.Name + " " + string(p.State) }, nil)
		case string(hook.ToolError):
			listen(bus, hook.ToolError, l, func(p *hook.ToolErrorPayload) string { return p.Name }, nil)
		case string(hook.ToolTransform):
			listen(bus, hook.ToolTransform, l, func(p *hook.ToolTransformPayload) string { return p.Name }, func(p *hook.ToolTransformPayload) { p.Result = h.Text })
		case string(hook.ContextTransform):
			listen(bus, hook.ContextTransform, l, nil, func(p *hook.ContextTransformPayload) {
				p.Messages = []model.Message{{Role: model.RoleUser, Content: []model.Block{model.Text(h.Text)}}}
			})
		case string(hook.SystemBefore):
			listen(bus, hook.SystemBefore, l, nil, func(p *hook.SystemBeforePayload) { p.System = h.Text })
		case string(hook.TurnBefore):
			listen(bus, hook.TurnBefore, l, func(p *hook.TurnBeforePayload) string { return fmt.Sprint(p.Turn) }, nil)
		case string(hook.TurnAfter):
			listen(bus, hook.TurnAfter, l, func(p *hook.TurnAfterPayload) string { return fmt.Sprint(p.Turn) }, nil)
		case string(hook.SessionStart):
			listen(bus, hook.SessionStart, l, func(p *hook.SessionStartPayload) string { return p.Source }, nil)
		case string(hook.SubagentStart):
			listen(bus, hook.SubagentStart, l, func(p *hook.SubagentStartPayload) string { return p.Type }, nil)
		case string(hook.SubagentEnd):
			listen(bus, hook.SubagentEnd, l, func(p *hook.SubagentEndPayload) string { return p.Text }, nil)
		case string(hook.SteerInject):
			listen(bus, hook.SteerInject, l, func(p *hook.SteerInjectPayload) string { return p.Text }, nil)
		case string(hook.AgentAbort):
			listen(bus, hook.AgentAbort, l, func(p *hook.AgentAbortPayload) string { return p.SafePoint }, nil)
		case string(hook.AgentDone):
			listen(bus, hook.AgentDone, l, func(p *hook.AgentDonePayload) string { return p.StopReason }, nil)
		case string(hook.BackgroundReconcile):
			listen(bus, hook.BackgroundReconcile, l, nil, func(p *hook.BackgroundReconcilePayload) { p.Exits = p.Exits[1:] })
		case string(hook.BackgroundReassign):
			listen(bus, hook.BackgroundReassign, l, func(p *hook.BackgroundReassignPayload) string { return p.TaskID }, nil)
		case string(hook.SessionEnd):
			listen(bus, hook.SessionEnd, l, func(p *hook.SessionEndPayload) string { return p.Reason }, nil)
		default:
			st.t.Fatalf("agent.yaml: no handlers at %q are known here", h.Point)
		}
	}
	return bus
}

// reported tells how a handler failed.
func reported(err *hook.HandlerError) string {
	if err.Stack != nil {
		return "the handler panicked"
	}
	return "the handler failed"
}

// listener is a handler of the scenario at work.
type listener struct {
	Handler
	stage *stage

	mu    sync.Mutex
	calls int
}

// listen registers one. of gives the word that a line shows and that Handler.Tool is
// compared with; act is what it does to the payload.
func listen[T any](bus *hook.Bus, p hook.Point[T], l *listener, of func(*T) string, act func(*T)) {
	handle := func(payload *T) error {
		word := ""
		if of != nil {
			word = of(payload)
		}
		return l.handle(string(p), word, func() {
			if act != nil {
				act(payload)
			}
		})
	}
	if l.Child {
		hook.On(bus, hook.ChildOf(p), func(_ context.Context, c *hook.Child[T]) error { return handle(c.Payload) })
		return
	}
	hook.On(bus, p, func(_ context.Context, payload *T) error { return handle(payload) })
}

// count tells whether this call of the handler is one that it cares for.
func (l *listener) count() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls++
	return l.Times <= 0 || l.calls <= l.Times
}

func (l *listener) handle(point, word string, act func()) error {
	if l.Tool != "" && l.Tool != word {
		return nil
	}
	if !l.count() {
		return nil
	}
	if l.Show {
		l.stage.out.settle()
		l.stage.out.note("bus %s", joinWords(point, word))
	}
	if l.Abort != "" {
		l.stage.agent.Abort(l.Abort, "the handler aborts")
	}
	switch {
	case l.Fail == "panic":
		act() // what a handler changed before it failed must not count
		panic("the handler is broken")
	case l.Fail != "":
		act()
		return errors.New("the handler is broken")
	case l.Refuse != "" || l.Text != "":
		act()
	}
	return nil
}
