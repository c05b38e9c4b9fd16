package tool

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/stophook/stophook/execctx"
)

// Tasks is what an agent lends its tools for background work. All methods may be
// called from several goroutines at once.
type Tasks interface {
	// Launch starts a command as a task of the agent and returns as soon as its
	// process was started (AC-10). Errors: [*NotSupportedError],
	// [*execctx.TooManyTasksError], [*execctx.LaunchError].
	Launch(ctx context.Context, callID, command string, env map[string]string) (execctx.Launched, error)

	// Kill ends a task and gives its end; one that already ended gives the end
	// that is known (AC-12). ctx bounds the waiting only. Errors:
	// [*UnknownTaskError], [*NotSupportedError].
	Kill(ctx context.Context, taskID string) (*execctx.ExitInfo, error)

	// Wait waits for the end of a task, for a time that is positive. Nil and no
	// error: it still runs (AC-13). Errors: [*UnknownTaskError],
	// [*NotSupportedError], the cause of ctx (D-19).
	Wait(ctx context.Context, taskID string, timeout time.Duration) (*execctx.ExitInfo, error)

	// Foreground makes a foreground command known while it runs, so that a host
	// can move it to the background to deliver a message (AC-183). done forgets
	// it, may be called more than once, and is called in any case.
	//
	// moved gets the task that the command became, after the agent has registered
	// it, or is closed; the tool then gives its result. Nil: nobody waits.
	Foreground(callID, command string, call execctx.ForegroundCall) (moved <-chan execctx.Launched, done func())
}

// UnknownTaskError is a task id that an agent does not have (D-17).
type UnknownTaskError struct {
	TaskID string
	Known  []string // those that there are, running and ended, in order
}

func (e *UnknownTaskError) Error() string {
	if len(e.Known) == 0 {
		return fmt.Sprintf("there is no task %q, and no other: nothing was started in the background", e.TaskID)
	}
	return fmt.Sprintf("there is no task %q: the tasks are %s", e.TaskID, strings.Join(e.Known, ", "))
}

// NotSupportedError is background work that an agent, or where it runs commands,
// cannot do.
type NotSupportedError struct {
	What string // as in "waiting for background tasks"
	Why  string // empty: the execution context has no way to
}

func (e *NotSupportedError) Error() string {
	why := e.Why
	if why == "" {
		why = "the execution context cannot do it"
	}
	return fmt.Sprintf("%s is not possible here: %s", e.What, why)
}
