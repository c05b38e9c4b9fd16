package hook

import (
	"slices"

	"github.com/stophook/stophook/agentcore/task"
)

// The points of background work. ChildOf gives each as it is heard above a subagent,
// whoever owns the task by then (AC-20, AC-22).
const (
	// BackgroundStart comes when a task was started, or a running command was moved
	// to the background, and before its end can be told.
	BackgroundStart Point[BackgroundStartPayload] = "background:start"
	// BackgroundExit comes when a task has ended, at once, from a goroutine of the
	// execution context; the model is told at the next run's start. Contexts that do
	// not push never emit it.
	BackgroundExit Point[BackgroundExitPayload] = "background:exit"
	// BackgroundStall comes when a task has been quiet for long, once a quiet period.
	BackgroundStall Point[BackgroundStallPayload] = "background:stall"
	// BackgroundReassign comes when a task of a subagent that is over became its
	// parent's, on the parent's bus.
	BackgroundReassign Point[BackgroundReassignPayload] = "background:reassign"
	// BackgroundReconcile comes at a run's start, before the ends of tasks are told:
	// they can be dropped, reordered, edited and added (AC-21).
	BackgroundReconcile Point[BackgroundReconcilePayload] = "background:reconcile"
)

// BackgroundStartPayload: session, call when there is one.
type BackgroundStartPayload struct {
	IDs
	TaskID     string `json:"taskId"`
	PID        int    `json:"pid,omitempty"`
	Command    string `json:"command"`
	OutputPath string `json:"outputPath"`
}

// BackgroundExitPayload: session.
type BackgroundExitPayload struct {
	IDs
	TaskID     string `json:"taskId"`
	Status     string `json:"status"` // exited, killed, lost
	ExitCode   *int   `json:"exitCode,omitempty"`
	Signal     string `json:"signal,omitempty"`
	Command    string `json:"command"`
	OutputPath string `json:"outputPath"`
	DurationMS int64  `json:"durationMs"`
}

// BackgroundStallPayload: session.
type BackgroundStallPayload struct {
	IDs
	TaskID       string `json:"taskId"`
	Command      string `json:"command"`
	OutputPath   string `json:"outputPath"`
	StalledForMS int64  `json:"stalledForMs"`
}

// BackgroundReassignPayload: session of the parent.
type BackgroundReassignPayload struct {
	IDs
	TaskID       string `json:"taskId"`
	FromHandleID string `json:"fromHandleId"`
	ToHandleID   string `json:"toHandleId"`
	ChildID      string `json:"childId"`
}

// BackgroundReconcilePayload: session, run. Handlers may change Exits in any way: what is
// left is told, in that order.
type BackgroundReconcilePayload struct {
	IDs
	Exits []task.Exit `json:"exits"`
}

// Clone makes BackgroundReconcilePayload [Mutable].
func (p *BackgroundReconcilePayload) Clone() BackgroundReconcilePayload {
	own := *p
	own.Exits = slices.Clone(p.Exits)
	return own
}
