package execctx

import (
	"context"
	"time"
)

// ExecRequest describes a command to run in the foreground.
type ExecRequest struct {
	Command string            // for /bin/sh -c
	CWD     string            // empty: the handle's
	Env     map[string]string // added to the handle's environment

	// Timeout ends the command's whole process group; 0: none.
	Timeout time.Duration

	// MaxOutputBytes bounds what [ExecResult.Output] holds, half from the
	// beginning and half from the end; 0: [DefaultMaxExecOutput]. The command
	// never blocks on it.
	MaxOutputBytes int64

	// OutputDir makes the call movable: output goes to a file there, which
	// becomes the task's log when [ForegroundCall.Move] is called and is removed
	// when the command ends in the foreground. Empty: memory only.
	OutputDir string
}

// DefaultMaxExecOutput is how much output of a foreground command is kept when
// the request does not say: 1 MiB.
const DefaultMaxExecOutput = 1 << 20

// ExecResult is what a foreground command came to.
type ExecResult struct {
	Output []byte `json:"output"` // stdout and stderr, interleaved

	// DroppedBytes is how much was cut out of the middle of Output, where a line
	// says so.
	DroppedBytes int64 `json:"droppedBytes,omitempty"`

	// ExitCode is unset for a command that was moved, and beside an error that
	// says why there is none. For a command that a signal ended it is 128 + the
	// signal's number (EX-10).
	ExitCode *int     `json:"exitCode,omitempty"`
	Signal   string   `json:"signal,omitempty"` // as in SIGTERM
	TimedOut bool     `json:"timedOut,omitempty"`
	Warnings []string `json:"warnings,omitempty"` // see [ExitInfo]

	DurationMS int64 `json:"durationMs"`

	// Moved is the task that the command became; Output is what there was until
	// then.
	Moved *Launched `json:"moved,omitempty"`
}

// ForegroundStarter starts foreground commands that can be moved to the
// background while they run: a host does so to deliver a message that cannot
// wait (D-03).
type ForegroundStarter interface {
	// StartExec is [Executor].Exec in two steps. ctx ends the command as there,
	// until it is moved.
	StartExec(ctx context.Context, h Handle, req ExecRequest) (ForegroundCall, error)
}

// ForegroundCall is a foreground command that runs.
type ForegroundCall interface {
	// PID is the process, the same after a move.
	PID() int
	// Done is closed when the command has ended, or was moved.
	Done() <-chan struct{}
	// Result waits for Done.
	Result() (ExecResult, error)
	// Move turns the running command into a background task without
	// interrupting it: the process goes on, its output so far is in the log
	// (EX-41), the task has its id. The calls of Result then return. Errors:
	// [ErrEnded] when the command was faster, [ErrNotMovable] without an
	// OutputDir, [*TooManyTasksError]; the command goes on in the foreground.
	Move(req MoveRequest) (Launched, error)
}

// MoveRequest holds what [LaunchRequest] holds beside the command.
type MoveRequest struct {
	MaxOutputBytes int64
	OnExit         func(ExitInfo)
	StallTimeout   time.Duration
	OnStall        func(StallInfo)
}
