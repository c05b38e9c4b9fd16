package task

import (
	"time"

	"github.com/stophook/stophook/execctx"
)

// Exit is the end of a background task as an agent tells it. The fields up to
// Duration come from the context; any of them may be changed before the exit is
// told (AC-21).
type Exit struct {
	TaskID   string `json:"taskId"`
	HandleID string `json:"handleId,omitempty"` // of the owner; not part of the text, unless there is no output file

	// Status is exited, killed or lost. Empty counts as killed beside a signal
	// and as exited without.
	Status execctx.TaskStatus `json:"status"`
	// ExitCode is unset when the code is not known, as after a lost task.
	ExitCode *int   `json:"exitCode,omitempty"`
	Signal   string `json:"signal,omitempty"` // as in SIGTERM; empty unless a signal ended it (D-41)

	Command    string `json:"command,omitempty"`    // empty in blocks of old sessions
	OutputPath string `json:"outputPath,omitempty"` // absolute; empty for tasks without a file

	StartedAt time.Time     `json:"startedAt,omitzero"`
	EndedAt   time.Time     `json:"endedAt,omitzero"` // zero: nobody saw it
	Duration  time.Duration `json:"durationNs,omitempty"`
}

// FromExit takes over an end that a context told, at the time endedAt. The start is
// not in the report and is reckoned from the duration; who launched a task without
// an output file sets StartedAt to what the launch said, for the sake of its key
// (D-22).
func FromExit(h execctx.Handle, e execctx.ExitInfo, endedAt time.Time) Exit {
	exit := Exit{
		TaskID:     e.TaskID,
		HandleID:   h.ID,
		Status:     e.Status,
		Signal:     e.Signal,
		Command:    e.Command,
		OutputPath: e.OutputPath,
		EndedAt:    endedAt,
		Duration:   milliseconds(e.DurationMS),
	}
	if code, known := e.Code(); known {
		exit.ExitCode = &code
	}
	if !endedAt.IsZero() {
		exit.StartedAt = endedAt.Add(-exit.Duration)
	}
	return exit
}

// FromEntry takes over a listed task; false for one that has not ended.
func FromEntry(h execctx.Handle, e execctx.TaskEntry) (Exit, bool) {
	if !e.Ended() {
		return Exit{}, false
	}
	exit := FromExit(h, e.ExitInfo, e.EndedAt)
	if e.HandleID != "" {
		exit.HandleID = e.HandleID
	}
	exit.StartedAt = e.StartedAt
	return exit, true
}

// Code is the exit code, if it is known.
func (e Exit) Code() (code int, known bool) {
	if e.ExitCode == nil {
		return 0, false
	}
	return *e.ExitCode, true
}

// Clean tells whether the task ended by itself and well: a screen shows it dim,
// and every other end as a warning (AC-113).
func (e Exit) Clean() bool {
	code, known := e.Code()
	return e.status() == execctx.StatusExited && known && code == 0
}

// status is Status, or what follows from the rest when it is empty.
func (e Exit) status() execctx.TaskStatus {
	switch {
	case e.Status != "":
		return e.Status
	case e.Signal != "":
		return execctx.StatusKilled
	}
	return execctx.StatusExited
}
