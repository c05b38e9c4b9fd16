package agentcore

import (
	"context"
	"errors"
	"fmt"

	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/policy/hookio"
)

// Destroy ends an agent: its run, its calls, and its handle of the execution context
// with every task of it, unless the handle is the host's (D-31). The session stays
// open; it is the caller's.
//
// It goes through its steps in order, each within Behavior.DestroyTimeout: queued
// messages are dropped, the run is aborted and waited for, SessionEnd hooks are
// told, the handle is destroyed, and what came in the meantime is dropped (AC-100).
// A step that takes longer is left behind and reported in the error (AC-101). It may
// be called again, and at the same time: all calls get the first one's answer
// (AC-102). When ctx ends, it returns, and the work goes on.
func (a *Agent) Destroy(ctx context.Context) error {
	a.edge.mu.Lock()
	first := a.edge.destroyed == nil
	if first {
		a.edge.destroyed = make(chan struct{})
	}
	through := a.edge.destroyed
	a.edge.mu.Unlock()
	if first {
		go func() {
			err := a.destroy(context.WithoutCancel(ctx))
			a.edge.mu.Lock()
			a.edge.err = err
			a.edge.mu.Unlock()
			close(through)
		}()
	}
	select {
	case <-through:
		a.edge.mu.Lock()
		defer a.edge.mu.Unlock()
		return a.edge.err
	case <-ctx.Done():
		return fmt.Errorf("agentcore: destroy goes on: %w", context.Cause(ctx))
	}
}

func (a *Agent) destroy(ctx context.Context) error {
	a.box.clear(false)
	a.background.clear()
	idle := a.step(ctx, "end the run (does nobody read its events?)", a.endRun)
	// Step 3 of AC-100 closes MCP clients; there are none yet.
	var errs []error
	if idle == nil { // else the run still owns the session's names
		idle = a.step(ctx, "tell the session's end", a.tellEnd)
	}
	errs = append(errs, idle, a.step(ctx, "destroy the handle", a.destroyHandle))
	a.box.clear(true)
	a.background.clear()
	return errors.Join(errs...)
}

// step bounds one step. What it leaves behind when the time is up goes on in its
// goroutine.
func (a *Agent) step(ctx context.Context, what string, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, a.cfg.Behavior.DestroyTimeout,
		fmt.Errorf("it took longer than %s", a.cfg.Behavior.DestroyTimeout))
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- do(ctx) }()
	select {
	case err := <-done:
		if err != nil {
			return fmt.Errorf("agentcore: destroy: %s: %w", what, err)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("agentcore: destroy: %s: %w", what, context.Cause(ctx))
	}
}

// endRun aborts the run and waits until its reader has let it end.
func (a *Agent) endRun(ctx context.Context) error {
	a.Abort(Now, "the agent is destroyed")
	a.edge.mu.Lock()
	r, done := a.edge.current, a.edge.done
	a.edge.mu.Unlock()
	if r == nil {
		return nil
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (a *Agent) tellEnd(ctx context.Context) error {
	if !a.begun || a.depth > 0 {
		return nil
	}
	hook.Emit(ctx, a.bus, hook.SessionEnd, &hook.SessionEndPayload{IDs: a.ids(), Reason: "other"})
	_, seen := a.runCommands(ctx, hookio.Payload{Event: hookio.SessionEnd, Reason: "other"})
	for _, e := range seen {
		a.cfg.Warn(e.Text)
	}
	return nil
}

func (a *Agent) destroyHandle(ctx context.Context) error {
	handle := a.keptHandle()
	if a.cfg.Exec == nil || handle == nil || a.cfg.Handle != nil {
		return nil
	}
	return a.cfg.Exec.Destroy(ctx, *handle)
}
