package agentcore

import (
	"context"
	"time"

	"github.com/stophook/stophook/agentcore/task"
	"github.com/stophook/stophook/execctx"
)

// wakePoll is how often the tasks of a context that does not push are looked at.
const wakePoll = 250 * time.Millisecond

// HasPendingTaskNotifications tells whether a task's end was pushed that the model was
// not told (AC-50). Then a run without a prompt can begin, and tells it (AC-51).
// Contexts that do not push never set it.
func (a *Agent) HasPendingTaskNotifications() bool {
	b := a.background
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.pending.Exits()) > 0 || a.cfg.Behavior.WakeOnStall && b.pending.Stalls() > 0
}

// WaitTasks waits, between runs, until the end of a task should wake the agent, and
// gives true: a run without a prompt then tells it. It gives false when no task runs
// that could, and when waking is off, which it is after every run that did not complete,
// until a prompt has (AC-53, AC-54, D-05). The error is that of ctx.
//
// A host that wakes its agent runs it, calls WaitTasks, and runs it without a prompt
// while that gives true. What ended during a run is told at once that way (AC-52).
func (a *Agent) WaitTasks(ctx context.Context) (bool, error) {
	b := a.background
	ticker := time.NewTicker(wakePoll)
	defer ticker.Stop()
	for {
		switch {
		case !b.wakes():
			return false, nil
		case a.HasPendingTaskNotifications():
			return true, nil
		}
		running, ended, err := a.look(ctx)
		if ended {
			return true, nil
		}
		if err == nil && !running {
			return a.HasPendingTaskNotifications(), nil
		}
		select {
		case <-b.due:
		case <-ticker.C:
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
	}
}

func (b *background) wakes() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.wake
}

// ranAs remembers how the latest run ended.
func (b *background) ranAs(end End) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wake = end == EndCompleted
}

// look tells whether a task runs, and whether one has ended that nobody was told of: in
// contexts that do not push the list is all there is, and in others it can know of an end
// a moment before it is pushed.
func (a *Agent) look(ctx context.Context) (running, ended bool, err error) {
	h := a.keptHandle()
	if h == nil {
		return false, false, nil
	}
	entries, err := execctx.List(ctx, a.cfg.Exec, *h)
	if err != nil {
		return false, false, err
	}
	for _, e := range entries {
		exit, over := task.FromEntry(*h, e)
		running = running || !over
		ended = ended || over && !a.background.told(exit)
	}
	return running, ended, nil
}

// KillBackgroundTask ends a task of this agent, for hosts (AC-17). False: the id is
// unknown, the context cannot kill, or no handle is bound yet. The model is told of the
// end at the next run.
func (a *Agent) KillBackgroundTask(ctx context.Context, taskID string) bool {
	h := a.keptHandle()
	if h == nil {
		return false
	}
	info, err := execctx.Kill(ctx, a.cfg.Exec, *h, taskID)
	return err == nil && info != nil
}
