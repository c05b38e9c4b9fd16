package builtin

import (
	"context"
	_ "embed"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/stophook/stophook/agentcore/tool"
	"github.com/stophook/stophook/execctx"
)

//go:embed wait_task.md
var waitTaskText string

// How long a wait is when the model does not say, and at most (AC-13).
const (
	defaultWait = 2 * time.Minute
	maxWait     = 30 * time.Minute
)

type waitTaskInput struct {
	TaskID string `json:"task_id" jsonschema:"the task to wait for, as in bash_1"`
	// A float: what is too long is shortened, however long it is.
	TimeoutMS *float64 `json:"timeout_ms,omitempty" jsonschema:"milliseconds to wait at most"`
}

// WaitedTask is the structured result of wait_task, as transcripts have it: where
// the wait saw the end, no notification comes.
type WaitedTask struct {
	RetrievalStatus string     `json:"retrieval_status"` // success or timeout
	Task            WaitedInfo `json:"task"`
}

// WaitedInfo is the task of a [WaitedTask].
type WaitedInfo struct {
	TaskID      string `json:"task_id"`
	TaskType    string `json:"task_type"` // always local_bash
	Status      string `json:"status"`    // running, completed, failed or killed
	Description string `json:"description,omitempty"`
	ExitCode    *int   `json:"exitCode,omitempty"`
}

// NewWaitTask makes the wait_task tool (AC-13). It is offered where background
// tasks are, and can be waited for.
func NewWaitTask() tool.Tool {
	text := strings.NewReplacer("{default}", ms(defaultWait), "{max}", ms(maxWait)).Replace(waitTaskText)
	t := tool.MustNew("wait_task", text, waitTask, taskIDGiven(),
		tool.ReadOnly(), tool.Subject(tool.SubjectText, "task_id", ""),
		tool.Constrain(func(s *jsonschema.Schema) {
			p := s.Properties["timeout_ms"]
			p.Types, p.Type = nil, "integer"
			atLeast1(s, 0, "timeout_ms")
		}))
	own := t
	t.Adapt = func(o tool.Offer) (tool.Tool, bool) { return own, o.Background && o.Wait }
	return t
}

func waitTask(ctx context.Context, call *tool.Call, in waitTaskInput) (*tool.Result, error) {
	if call.Env.Tasks == nil {
		return noTasks(), nil
	}
	timeout, note := defaultWait, ""
	if in.TimeoutMS != nil { // D-18
		switch wanted := *in.TimeoutMS; {
		case !(wanted > 0) || wanted != math.Trunc(wanted):
			return tool.Errorf("timeout_ms must be a whole number of milliseconds from 1 to %s, got %v; nothing was waited for.", ms(maxWait), wanted), nil
		case wanted > float64(maxWait.Milliseconds()):
			timeout, note = maxWait, fmt.Sprintf("\nNote: timeout_ms was %.0f, the most is %s, which was used.", wanted, ms(maxWait))
		default:
			timeout = time.Duration(wanted) * time.Millisecond
		}
	}
	end, err := call.Env.Tasks.Wait(ctx, in.TaskID, timeout)
	switch {
	case end != nil: // seen, whatever else happened
		return waited(in.TaskID, *end, note), nil
	case err != nil && ctx.Err() == nil:
		return taskFailed(ctx, "wait for a background task", err)
	case ctx.Err() != nil:
		out := tool.Aborted(ctx, true)
		out.Text = strings.Replace(out.Text, "a part of the work may be done.", "only the waiting ended, the task was not touched.", 1)
		return out, nil
	}
	return &tool.Result{
		Text: fmt.Sprintf("wait_task: timed out after %v. %s runs on; wait again, or go on with other work.%s", timeout, in.TaskID, note),
		Structured: WaitedTask{RetrievalStatus: "timeout",
			Task: WaitedInfo{TaskID: in.TaskID, TaskType: taskType, Status: "running"}},
	}, nil
}

// waited is the result of a wait that saw the end. A task that failed is no error
// of the wait.
func waited(id string, e execctx.ExitInfo, note string) *tool.Result {
	info := WaitedInfo{TaskID: id, TaskType: taskType, Status: "failed", Description: e.Command, ExitCode: e.ExitCode}
	switch code, known := e.Code(); {
	case e.Status == execctx.StatusKilled:
		info.Status = "killed"
	case known && code == 0:
		info.Status = "completed"
	}
	text := fmt.Sprintf("%s: %s after %s. Output: %s", id, ended(e), took(e), e.OutputPath)
	return &tool.Result{
		Text:       text + note + notesOf(e.Warnings),
		Structured: WaitedTask{RetrievalStatus: "success", Task: info},
	}
}
