package builtin

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/stophook/stophook/agentcore/tool"
	"github.com/stophook/stophook/execctx"
)

// launch starts a command as a task. Where that is not offered the call is an
// error: a model that asked for the background would not expect to wait (AC-4).
func (s *shell) launch(ctx context.Context, call *tool.Call, in shellInput, o tool.Offer) (*tool.Result, error) {
	if call.Env.Tasks == nil || !o.Background {
		return tool.Errorf("Nothing was run: there are no background tasks in this session. " +
			"Leave run_in_background out to run the command in the foreground."), nil
	}
	task, err := call.Env.Tasks.Launch(ctx, call.ID, in.Command, s.opts.Env)
	if err != nil {
		return notLaunched(ctx, o, err)
	}
	return &tool.Result{
		Text:       fmt.Sprintf("Started %s (pid %d). Output: %s\n\n%s", task.TaskID, task.PID, task.OutputPath, guidance(o)),
		Structured: ShellOutput{BackgroundTaskID: task.TaskID},
	}, nil
}

// notLaunched says why there is no task. No process runs in any of the cases.
func notLaunched(ctx context.Context, o tool.Offer, err error) (*tool.Result, error) {
	var (
		tooMany     *execctx.TooManyTasksError
		notStarted  *execctx.LaunchError
		notPossible *tool.NotSupportedError
	)
	switch {
	case errors.As(err, &tooMany): // D-14
		var ways []string
		if o.Wait {
			ways = append(ways, "wait for one with wait_task")
		}
		if o.Kill {
			ways = append(ways, "end one with shell_kill")
		}
		ways = append(ways, "run the command in the foreground")
		return tool.Errorf("Nothing was started: %d background tasks run at once at most, and these do: %s. Either %s.",
			tooMany.Limit, strings.Join(tooMany.Running, ", "), strings.Join(ways, ", or ")), nil
	case errors.As(err, &notStarted):
		return tool.Errorf("The command could not be started: %v", notStarted), nil
	case errors.As(err, &notPossible), errors.Is(err, execctx.ErrBackgroundUnsupported):
		return tool.Errorf("Nothing was run: %v. Leave run_in_background out to run the command in the foreground.", err), nil
	case ctx.Err() != nil:
		return tool.Aborted(ctx, false), nil
	}
	return nil, fmt.Errorf("start a background task: %w", err)
}

// exec runs a command in the foreground. Where the host may hand commands over and
// the context can, the command can be moved there while it runs (AC-183); the
// result then has the task, which is registered by the time that it is given.
func (s *shell) exec(ctx context.Context, call *tool.Call, o tool.Offer, req execctx.ExecRequest) (execctx.ExecResult, error) {
	env := call.Env
	starter, movable := execctx.As[execctx.ForegroundStarter](env.Exec)
	if env.Tasks == nil || env.TasksDir == "" || !o.Background || !o.Handoff || !movable {
		return env.Exec.Exec(ctx, env.Handle, req)
	}
	file := req
	file.OutputDir = env.TasksDir
	running, err := starter.StartExec(ctx, env.Handle, file)
	var notStarted *execctx.LaunchError
	switch {
	case errors.As(err, &notStarted):
		// Perhaps only the file for its output could not be made, and that is needed
		// for a move alone.
		return env.Exec.Exec(ctx, env.Handle, req)
	case err != nil:
		return execctx.ExecResult{}, err
	}
	moved, done := env.Tasks.Foreground(call.ID, req.Command, running)
	if done != nil {
		defer done()
	}
	res, err := running.Result()
	if res.Moved != nil && moved != nil {
		select {
		case <-moved:
		case <-ctx.Done():
		}
	}
	return res, err
}

// moved is the result of a command that was moved to the background. Its mark lets
// readers of the transcript know a handoff.
func (s *shell) moved(res execctx.ExecResult, o tool.Offer) *tool.Result {
	output, cut := s.bound(res)
	task := res.Moved
	return &tool.Result{
		Text: fmt.Sprintf("The command goes on in the background as task %s (pid %d), because a message was delivered. Output: %s\n\n%s%s%s",
			task.TaskID, task.PID, task.OutputPath, guidance(o), printed(output), notesOf(res.Warnings)),
		Structured: ShellOutput{Stdout: output, BackgroundTaskID: task.TaskID, BackgroundedToDeliverMessage: true},
		Cut:        cut,
	}
}
