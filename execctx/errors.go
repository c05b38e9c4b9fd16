package execctx

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrBackgroundUnsupported is the answer to a launch in a context that cannot
	// (EX-1). The text is shown to the model.
	ErrBackgroundUnsupported = errors.New("background mode is not supported in this execution context")
	// ErrUnknownHandle is a handle that the context did not give, or destroyed.
	ErrUnknownHandle = errors.New("execctx: unknown or destroyed handle")
	// ErrEnded is a command that was over before it could be moved.
	ErrEnded = errors.New("execctx: the command has already ended")
	// ErrNotMovable is a foreground call without an output directory.
	ErrNotMovable = errors.New("execctx: the command was started without an output directory and cannot be moved")
)

// UnsupportedError is an ability that a context does not have.
type UnsupportedError struct {
	Ability string // in words, as in "killing background tasks"
}

func (e *UnsupportedError) Error() string {
	return e.Ability + " is not supported in this execution context"
}

// LaunchError is a command that could not be started. No task exists, no file is
// left behind.
type LaunchError struct {
	Command string
	Op      string // what failed, as in "create the output directory"
	Err     error
}

func (e *LaunchError) Error() string { return fmt.Sprintf("start %q: %s: %v", e.Command, e.Op, e.Err) }

func (e *LaunchError) Unwrap() error { return e.Err }

// TooManyTasksError is a launch over the limit of running tasks (EX-45, D-14).
type TooManyTasksError struct {
	Limit   int
	Running []string // ids, in order
}

func (e *TooManyTasksError) Error() string {
	return fmt.Sprintf("%d background tasks are running, which is the limit (%s): wait for one or end one first",
		e.Limit, strings.Join(e.Running, ", "))
}

// TaskIDError is a task id that is not of the form of ours. Such an id never
// becomes a part of a path (EX-34).
type TaskIDError struct {
	ID string
}

func (e *TaskIDError) Error() string {
	return fmt.Sprintf("%q is no task id: want bash_ and a number, as in bash_1", e.ID)
}
