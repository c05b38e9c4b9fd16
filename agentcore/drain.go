package agentcore

import (
	"context"
	"fmt"

	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/agentcore/session"
	"github.com/stophook/stophook/agentcore/task"
	"github.com/stophook/stophook/execctx"
)

// notify tells the model, at a run's start and nowhere else (AC-36, AC-37), of the tasks
// that ended since: those that were pushed and those that a sweep finds, in the order in
// which they ended, each as a message of its own before the prompt (AC-32, AC-33).
func (r *run) notify() *ending {
	b := r.a.background
	exits, stalls := b.drain()
	swept, err := r.sweep()
	if err != nil { // what was pushed is told all the same (AC-41)
		r.warn("the tasks could not be listed, so one that ended may be told later: %v", err)
	}
	for _, e := range swept {
		if !dated(exits, e) && !b.told(e) {
			exits = append(exits, e)
		}
	}
	task.Order(exits)
	b.know(exits)
	if len(exits) > 0 && hook.Listens(r.a.bus, hook.BackgroundReconcile) {
		p := &hook.BackgroundReconcilePayload{IDs: r.ids(""), Exits: exits}
		hook.Emit(r.ctx, r.a.bus, hook.BackgroundReconcile, p)
		exits = p.Exits
	}
	for i, e := range exits {
		if end := r.tell(e.Block()); end != nil {
			b.back(exits[i:], stalls)
			return end
		}
		if b.show(e) { // else a banner was painted when it happened (D-51)
			event := task.EventOf(e)
			r.emit(Event{Kind: EventTask, Task: &event})
		}
	}
	for i, s := range stalls {
		if end := r.tell(s.Block()); end != nil {
			b.back(nil, stalls[i:])
			return end
		}
		r.emit(Event{Kind: EventStall, Stall: &s})
	}
	return nil
}

// tell records one block as a message that begins a turn.
func (r *run) tell(block string) *ending {
	_, err := r.a.thread.UserRow(session.UserRow{Text: block, Origin: session.Origin{Kind: session.OriginNotification}})
	if err != nil {
		return failed(fmt.Errorf("record a notification: %w", err))
	}
	return nil
}

// dated tells whether a listed end is among those that were pushed. That one then has
// the times of the list: a report comes later than the end, and its order among others
// says nothing (AC-42).
func dated(exits []task.Exit, listed task.Exit) bool {
	for i := range exits {
		if exits[i].Key() != listed.Key() {
			continue
		}
		exits[i].StartedAt = listed.StartedAt
		if !listed.EndedAt.IsZero() {
			exits[i].EndedAt = listed.EndedAt
		}
		return true
	}
	return false
}

// sweep lists the handle's tasks that have ended (AC-31), when there is anything to
// reconcile: the context lists, and a handle is bound, or tasks can have outlived the
// program that started them (D-21).
func (r *run) sweep() ([]task.Exit, error) {
	a := r.a
	if a.cfg.Exec == nil {
		return nil, nil
	}
	if _, ok := execctx.As[execctx.BackgroundLister](a.cfg.Exec); !ok {
		return nil, nil
	}
	if a.keptHandle() == nil {
		if execctx.ResolveDetachedTasks(a.cfg.Exec) != execctx.DetachedDurable {
			return nil, nil
		}
		if _, err := a.env(r.ctx); err != nil {
			return nil, err
		}
	}
	list := func(ctx context.Context) ([]execctx.TaskEntry, error) {
		return execctx.List(ctx, a.cfg.Exec, *a.keptHandle())
	}
	sweep := a.cfg.Sweep
	if sweep == nil {
		sweep = func(ctx context.Context, list func(context.Context) ([]execctx.TaskEntry, error)) ([]execctx.TaskEntry, error) {
			return list(ctx)
		}
	}
	entries, err := sweep(r.ctx, list)
	if err != nil {
		return nil, err
	}
	var exits []task.Exit
	for _, e := range entries {
		if exit, ended := task.FromEntry(*a.keptHandle(), e); ended {
			exits = append(exits, exit)
		}
	}
	return exits, nil
}

// queued are the ends that were pushed and not told.
func (b *background) queued() []task.Exit {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.pending.Exits()
}

func (b *background) told(e task.Exit) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.latch.Has(e.Key())
}

// show tells whether the host is to be told of an end now, which it is once: when it
// happened, or by the run that tells the model.
func (b *background) show(e task.Exit) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.banner.Has(e.Key()) {
		return false
	}
	b.banner.Add(e.Key())
	return true
}

// drain empties the queue and gives what was in it; every end of it is latched before,
// so that nobody queues it again meanwhile (AC-35).
func (b *background) drain() ([]task.Exit, []task.Stall) {
	b.mu.Lock()
	defer b.mu.Unlock()
	exits, stalls := b.pending.Exits(), b.pending.TakeStalls()
	for _, e := range exits {
		b.latch.Add(e.Key())
	}
	b.pending.Clear()
	return exits, stalls
}

// know latches ends, and takes out of the queue those that were pushed after a sweep had
// found them.
func (b *background) know(exits []task.Exit) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range exits {
		b.latch.Add(e.Key())
		b.pending.Remove(e.Key())
	}
}

// back queues again what could not be written.
func (b *background) back(exits []task.Exit, stalls []task.Stall) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range stalls {
		b.pending.AddStall(s)
	}
	for _, e := range exits {
		b.pending.AddExit(e)
	}
}

// clear forgets what waits (AC-100).
func (b *background) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pending.Clear()
}
