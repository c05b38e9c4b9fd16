package execctx

import (
	"context"
	"time"
)

// BackgroundExecutor starts tasks.
type BackgroundExecutor interface {
	// ExecBackground starts a command and returns as soon as its process was
	// started; it never waits for the end (EX-2). ctx bounds the start, not the
	// task. Errors: [*LaunchError], [*TooManyTasksError], [ErrUnknownHandle].
	ExecBackground(ctx context.Context, h Handle, req LaunchRequest) (Launched, error)
}

// BackgroundKiller ends tasks.
type BackgroundKiller interface {
	// KillBackground sends SIGTERM to the task's whole process group, after the
	// context's grace SIGKILL, and returns when the process has ended and its
	// output is flushed and closed (EX-5). A task that already ended gives what
	// is known of it; at most what it left behind in its group is ended. An id
	// that the handle does not have gives nil and no error. ctx bounds the
	// waiting only.
	KillBackground(ctx context.Context, h Handle, taskID string) (*ExitInfo, error)
}

// BackgroundLister shows tasks.
type BackgroundLister interface {
	// ListBackground is a snapshot of the handle's tasks, running and terminated,
	// in the order of their ids (EX-6). A handle without tasks, and one that was
	// destroyed, has none.
	ListBackground(ctx context.Context, h Handle) ([]TaskEntry, error)
}

// BackgroundWaiter waits for tasks.
type BackgroundWaiter interface {
	// WaitBackground returns when the task has ended. It gives nil and no error
	// when the timeout (0: none) passed, when ctx ended, and for an id that the
	// handle does not have (EX-7): who must tell these apart lists first (D-19).
	// An error is a failure of the context itself.
	WaitBackground(ctx context.Context, h Handle, taskID string, timeout time.Duration) (*ExitInfo, error)
}

// BackgroundReassigner hands tasks on.
type BackgroundReassigner interface {
	// ReassignBackground moves every task of one handle that still runs to
	// another and rewires its callbacks; terminated tasks stay (EX-8, D-12). It
	// gives the moved tasks. An exit that races with it is told to exactly one
	// owner. With an error, what it gives was moved all the same.
	ReassignBackground(ctx context.Context, req ReassignRequest) ([]TaskEntry, error)
}

// LaunchRequest describes a task to be started.
type LaunchRequest struct {
	Command string            // for /bin/sh -c
	CWD     string            // empty: the handle's
	Env     map[string]string // added to the handle's environment

	// OutputDir is where the log file lies; required, created when missing
	// (EX-38). The file is named by [LogName].
	OutputDir string

	// MaxOutputBytes is how much output is kept, from the beginning; 0 keeps
	// all. The command goes on past it: later bytes are counted and dropped, and
	// a marker with their number ends the file (EX-39, EX-40).
	MaxOutputBytes int64

	// OnExit, when set, is told the end, once, from a goroutine of the context
	// and with nothing locked. A wait or kill of this task returns only after it
	// (D-24), so it must not wait for its own task. Contexts without
	// [Capabilities].Push never call it (EX-4).
	OnExit func(ExitInfo)

	// StallTimeout is the silence after which OnStall is told, once for each
	// quiet period; 0, or no OnStall: never (EX-60). Silence counts from the
	// start (D-16). The task is not touched.
	StallTimeout time.Duration
	OnStall      func(StallInfo)
}

// Launched is a task that was started.
type Launched struct {
	TaskID     string    `json:"taskId"`
	OutputPath string    `json:"outputPath"` // absolute
	PID        int       `json:"pid"`
	StartedAt  time.Time `json:"startedAt"`
}

// StallInfo is a task that has been quiet.
type StallInfo struct {
	TaskID       string    `json:"taskId"`
	Command      string    `json:"command"`
	OutputPath   string    `json:"outputPath"`
	StalledForMS int64     `json:"stalledForMs"` // since the last output, or the start
	At           time.Time `json:"at"`
}

// ReassignRequest names both owners and the callbacks of the new one. A nil
// callback removes the old one, which belonged to an owner that is going away:
// listing still finds the exit.
type ReassignRequest struct {
	From, To Handle
	OnExit   func(ExitInfo)
	OnStall  func(StallInfo)
}
