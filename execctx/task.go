package execctx

import "time"

// TaskStatus is the state of a background task.
type TaskStatus string

// A task runs, then is one of the others for ever. Killed covers a signal from
// anywhere, and a task that ended by itself after our kill was asked for (D-41).
// Lost is a task whose end nobody saw: its supervisor was killed, or another part
// of this program took the exit of a child that was not its own.
const (
	StatusRunning TaskStatus = "running"
	StatusExited  TaskStatus = "exited"
	StatusKilled  TaskStatus = "killed"
	StatusLost    TaskStatus = "lost"
)

// ExitInfo is the end of a background task (EX-9).
type ExitInfo struct {
	TaskID string     `json:"taskId"`
	Status TaskStatus `json:"status"`

	// ExitCode is unset while the task runs and when it is lost. For a task that
	// a signal ended it is 128 + the signal's number (EX-10); a task that ended
	// by itself under our kill has its own code, and no Signal (D-41).
	ExitCode *int   `json:"exitCode,omitempty"`
	Signal   string `json:"signal,omitempty"` // as in SIGTERM

	OutputPath string `json:"outputPath"`
	DurationMS int64  `json:"durationMs"` // by a monotonic clock; 0 while it runs
	Command    string `json:"command"`

	// Warnings are sentences about what could not be done or kept: output lost
	// on a full disk, a process that left the group, and the like.
	Warnings []string `json:"warnings,omitempty"`
}

// Code is the exit code, if there is one.
func (e ExitInfo) Code() (code int, known bool) {
	if e.ExitCode == nil {
		return 0, false
	}
	return *e.ExitCode, true
}

// Ended tells whether the task is over.
func (e ExitInfo) Ended() bool { return e.Status != StatusRunning }

// TaskEntry is a task as listed (EX-11). It is a snapshot and holds nothing of
// the process (EX-12).
type TaskEntry struct {
	ExitInfo
	HandleID     string    `json:"handleId"`
	PID          int       `json:"pid"`
	CWD          string    `json:"cwd"`
	StartedAt    time.Time `json:"startedAt"`
	EndedAt      time.Time `json:"endedAt,omitzero"` // zero while it runs; when it happened, not when it was seen
	BytesWritten int64     `json:"bytesWritten"`     // produced so far, dropped ones included (EX-46)
}
