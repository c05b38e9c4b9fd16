package execctx

import (
	"context"
	"time"
)

// Launch starts a task in c, or says that c cannot: [ErrBackgroundUnsupported].
func Launch(ctx context.Context, c ExecutionContext, h Handle, req LaunchRequest) (Launched, error) {
	able, ok := As[BackgroundExecutor](c)
	if !ok || ResolveDetachedTasks(c) == DetachedNone {
		return Launched{}, ErrBackgroundUnsupported
	}
	return able.ExecBackground(ctx, h, req)
}

// Kill ends a task of c, see [BackgroundKiller]. Error: [*UnsupportedError].
func Kill(ctx context.Context, c ExecutionContext, h Handle, taskID string) (*ExitInfo, error) {
	able, ok := As[BackgroundKiller](c)
	if !ok {
		return nil, &UnsupportedError{Ability: "killing background tasks"}
	}
	return able.KillBackground(ctx, h, taskID)
}

// List gives the tasks of a handle, see [BackgroundLister]. Error:
// [*UnsupportedError].
func List(ctx context.Context, c ExecutionContext, h Handle) ([]TaskEntry, error) {
	able, ok := As[BackgroundLister](c)
	if !ok {
		return nil, &UnsupportedError{Ability: "listing background tasks"}
	}
	return able.ListBackground(ctx, h)
}

// Wait waits for a task, see [BackgroundWaiter]. Error: [*UnsupportedError].
func Wait(ctx context.Context, c ExecutionContext, h Handle, taskID string, timeout time.Duration) (*ExitInfo, error) {
	able, ok := As[BackgroundWaiter](c)
	if !ok {
		return nil, &UnsupportedError{Ability: "waiting for background tasks"}
	}
	return able.WaitBackground(ctx, h, taskID, timeout)
}

// Reassign hands the running tasks of one handle to another, see
// [BackgroundReassigner]. Error: [*UnsupportedError].
func Reassign(ctx context.Context, c ExecutionContext, req ReassignRequest) ([]TaskEntry, error) {
	able, ok := As[BackgroundReassigner](c)
	if !ok {
		return nil, &UnsupportedError{Ability: "handing on background tasks"}
	}
	return able.ReassignBackground(ctx, req)
}

// StartExec starts a foreground command that can be moved, see
// [ForegroundStarter]. Error: [*UnsupportedError].
func StartExec(ctx context.Context, c ExecutionContext, h Handle, req ExecRequest) (ForegroundCall, error) {
	able, ok := As[ForegroundStarter](c)
	if !ok {
		return nil, &UnsupportedError{Ability: "moving foreground commands to the background"}
	}
	return able.StartExec(ctx, h, req)
}
