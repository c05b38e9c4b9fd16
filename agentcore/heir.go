package agentcore

import (
	"context"

	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/agentcore/task"
	"github.com/stophook/stophook/agentcore/tool"
	"github.com/stophook/stophook/execctx"
)

// bequeath gives a subagent's tasks to its parent before the subagent is destroyed: those
// that still run, and the ends that nobody was told of. It runs however the subagent
// ended (AC-91, AC-95).
//
// With a handle of its own, running tasks are handed to the parent's handle, where the
// context can do that; those it cannot hand over end with the subagent (AC-94). With a
// shared handle they stay where they are. From then on every end is the parent's
// (AC-92): one that races with this reaches one of the two, and so the parent (AC-97).
func (ch *child) bequeath(ctx context.Context, env *tool.Env) {
	from, to := ch.agent.background, ch.parent.background
	if h := ch.agent.keptHandle(); h != nil && env.Exec != nil {
		if !ch.kind.ShareHandle {
			for _, e := range ch.reassign(ctx, *h, env.Handle) {
				from.moved(e, env.Handle)
			}
		}
		// What ended and was never pushed, as in a context that does not push.
		if entries, err := execctx.List(ctx, ch.agent.cfg.Exec, *h); err == nil {
			for _, e := range entries {
				if exit, over := task.FromEntry(*h, e); over && !from.told(exit) {
					from.receive(exit)
				}
			}
		}
	}
	from.mu.Lock()
	from.heir = to
	left, known, latched := from.pending.Exits(), from.tasks, from.latch.Clone()
	from.pending, from.tasks = task.Queue{}, nil
	from.mu.Unlock()
	to.inherit(left, known, latched)
}

// inherit takes over what a subagent leaves.
func (b *background) inherit(exits []task.Exit, tasks []known, latched *task.Latch) {
	b.mu.Lock()
	b.tasks = append(b.tasks, tasks...)
	b.latch.Join(latched)
	b.mu.Unlock()
	for _, e := range exits {
		b.receive(e)
	}
}

// reassign hands the running tasks over and tells the parent's bus, once a task (AC-93).
func (ch *child) reassign(ctx context.Context, from, to execctx.Handle) []execctx.TaskEntry {
	c := ch.agent.cfg.Exec
	if _, ok := execctx.As[execctx.BackgroundReassigner](c); !ok {
		return nil
	}
	b := ch.parent.background
	told := make(chan struct{})
	moved, err := execctx.Reassign(ctx, c, execctx.ReassignRequest{From: from, To: to,
		OnExit:  func(e execctx.ExitInfo) { <-told; b.exited(to, e) },
		OnStall: func(s execctx.StallInfo) { <-told; b.stalled(to, s) }})
	for _, e := range moved {
		hook.Emit(ctx, ch.parent.bus, hook.BackgroundReassign, &hook.BackgroundReassignPayload{IDs: ch.parent.ids(), TaskID: e.TaskID,
			FromHandleID: from.ID, ToHandleID: to.ID, ChildID: ch.agent.id})
	}
	close(told)
	if err != nil {
		ch.parent.cfg.Warn("agentcore: tasks of a subagent could not be handed to its parent and end with it: " + err.Error())
	}
	return moved
}

// moved notes the new owner of a task.
func (b *background) moved(e execctx.TaskEntry, to execctx.Handle) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.tasks {
		if k := &b.tasks[i]; k.id == e.TaskID && k.path == e.OutputPath {
			k.handle = to.ID
		}
	}
}
