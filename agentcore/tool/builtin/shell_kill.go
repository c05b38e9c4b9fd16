package builtin

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/stophook/stophook/agentcore/tool"
	"github.com/stophook/stophook/execctx"
)

//go:embed shell_kill.md
var shellKillText string

type shellKillInput struct {
	TaskID string `json:"task_id" jsonschema:"the task to end, as in bash_1"`
}

// KilledTask is the structured result of shell_kill, as transcripts have it: it is
// the only trace of the end of a task that the model ended.
type KilledTask struct {
	Message  string `json:"message"`
	TaskID   string `json:"task_id"`
	TaskType string `json:"task_type"` // always local_bash
	Command  string `json:"command"`
}

// NewShellKill makes the shell_kill tool (AC-12). It is offered where background
// tasks are, and can be ended.
func NewShellKill() tool.Tool {
	t := tool.MustNew("shell_kill", shellKillText, shellKill, taskIDGiven(), tool.Subject(tool.SubjectText, "task_id", ""))
	own := t
	t.Adapt = func(o tool.Offer) (tool.Tool, bool) { return own, o.Background && o.Kill }
	return t
}

// taskIDGiven refuses an empty id.
func taskIDGiven() tool.Option {
	return tool.Constrain(func(s *jsonschema.Schema) { s.Properties["task_id"].MinLength = jsonschema.Ptr(1) })
}

func shellKill(ctx context.Context, call *tool.Call, in shellKillInput) (*tool.Result, error) {
	if call.Env.Tasks == nil {
		return noTasks(), nil
	}
	end, err := call.Env.Tasks.Kill(ctx, in.TaskID)
	if err == nil && end == nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		} else {
			err = &tool.UnknownTaskError{TaskID: in.TaskID}
		}
	}
	if err != nil {
		return taskFailed(ctx, "end a background task", err)
	}
	line := fmt.Sprintf("Killed %s: %s after %s.", in.TaskID, ended(*end), took(*end))
	return &tool.Result{
		Text:       line + notesOf(end.Warnings),
		Structured: KilledTask{Message: line, TaskID: in.TaskID, TaskType: taskType, Command: end.Command},
	}, nil
}

// taskType is what transcripts call a task of the shell.
const taskType = "local_bash"

// ended is how a task ended: by a signal, by itself with a code, or unseen.
func ended(e execctx.ExitInfo) string {
	code, known := e.Code()
	switch {
	case e.Status == execctx.StatusLost:
		return "lost (nobody saw its end)"
	case e.Signal != "":
		return "killed (" + e.Signal + ")"
	case known:
		return fmt.Sprintf("exited %d", code)
	}
	return string(e.Status)
}

func took(e execctx.ExitInfo) string {
	return (time.Duration(e.DurationMS) * time.Millisecond).String()
}

func noTasks() *tool.Result {
	return tool.Errorf("There are no background tasks in this session.")
}

// taskFailed turns an error about a task into a result where the model can do
// something about it.
func taskFailed(ctx context.Context, doing string, err error) (*tool.Result, error) {
	var (
		unknown     *tool.UnknownTaskError
		notPossible *tool.NotSupportedError
		unsupported *execctx.UnsupportedError
	)
	switch {
	case errors.As(err, &unknown):
		return tool.Errorf("Nothing was done: %v.", unknown), nil
	case errors.As(err, &notPossible), errors.As(err, &unsupported):
		return tool.Errorf("Nothing was done: %v.", err), nil
	case ctx.Err() != nil:
		return tool.Aborted(ctx, true), nil
	}
	return nil, fmt.Errorf("%s: %w", doing, err)
}
