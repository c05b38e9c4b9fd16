package agentcore

import (
	"context"
	"errors"
	"slices"

	"github.com/stophook/stophook/execctx"
)

// ErrNoHandoff says that DeliverNow is not switched on, or not possible here.
var ErrNoHandoff = errors.New("agentcore: running commands are not moved: set Behavior.Handoff, and use a context that can move them and a session with a folder for tasks")

// movable is a foreground command that runs.
type movable struct {
	callID, command string
	call            execctx.ForegroundCall
	handle          execctx.Handle
	moved           chan execctx.Launched
}

// Foreground makes a command known while it runs in the foreground (tool.Tasks).
func (l lent) Foreground(callID, command string, call execctx.ForegroundCall) (<-chan execctx.Launched, func()) {
	m := movable{callID: callID, command: command, call: call, handle: l.handle, moved: make(chan execctx.Launched, 1)}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.movable = append(l.movable, m)
	return m.moved, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.movable = slices.DeleteFunc(l.movable, func(o movable) bool { return o.moved == m.moved })
	}
}

// DeliverNow steers the run with a message that cannot wait for a command to end: the
// commands that run in the foreground go on in the background, each as a task whose
// receipt says so, and the model reads the message at once (AC-183, D-03). It gives the
// tasks. A command that ends by itself in that moment keeps its result. Without a
// running command the message is a steering message like any other.
//
// It is off unless Behavior.Handoff is set. Error: [ErrNoHandoff], [ErrDestroyed]; the
// message was not taken then.
func (a *Agent) DeliverNow(text string) ([]execctx.Launched, error) {
	if !a.offer.Handoff {
		return nil, ErrNoHandoff
	}
	if err := a.Steer(text); err != nil {
		return nil, err
	}
	var tasks []execctx.Launched
	for _, m := range a.background.foreground() {
		if made, err := a.move(m); err == nil {
			tasks = append(tasks, made)
		} else if !errors.Is(err, execctx.ErrEnded) {
			a.cfg.Warn("agentcore: a command could not be moved to the background: " + err.Error())
		}
	}
	return tasks, nil
}

func canMove(c execctx.ExecutionContext) bool {
	_, ok := execctx.As[execctx.ForegroundStarter](c)
	return ok
}

func (b *background) foreground() []movable {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.movable)
}

// move turns a command into a task. The hook is told before the end can be.
func (a *Agent) move(m movable) (execctx.Launched, error) {
	b := a.background
	told := make(chan struct{})
	made, err := m.call.Move(execctx.MoveRequest{MaxOutputBytes: a.cfg.Behavior.BackgroundOutputCap, StallTimeout: max(a.cfg.Behavior.StallAfter, 0),
		OnExit:  func(e execctx.ExitInfo) { <-told; b.exited(m.handle, e) },
		OnStall: func(s execctx.StallInfo) { <-told; b.stalled(m.handle, s) }})
	defer close(told)
	if err != nil {
		return made, err
	}
	b.started(context.Background(), m.handle, made, m.callID, m.command)
	m.moved <- made
	return made, nil
}
