package builtin

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/stophook/stophook/agentcore/tool"
	"github.com/stophook/stophook/execctx"
)

// shellInput is what a model gives.
type shellInput struct {
	Command         string `json:"command" jsonschema:"the command line to run"`
	TimeoutMS       int64  `json:"timeout_ms,omitempty" jsonschema:"milliseconds after which the command is ended"`
	RunInBackground bool   `json:"run_in_background,omitempty" jsonschema:"true starts the command as a background task and returns at once"`
	Description     string `json:"description,omitempty" jsonschema:"what the command is for, in 5 to 10 words"`
}

// shell runs commands.
type shell struct{ opts ShellOptions }

// NewShell makes the shell tool. A command runs in the foreground; its text begins
// with "Exit code N" when it failed, which readers of transcripts rely on.
//
// Where an agent offers it, a command can also be started as a background task
// (AC-10), and where it offers handoffs, one in the foreground can be moved there by the host (AC-183).
// Without an offer the model does not hear of either (AC-2).
func NewShell(opts ShellOptions) tool.Tool {
	if opts.MaxTimeout <= 0 {
		opts.MaxTimeout = 10 * time.Minute
	}
	if opts.DefaultTimeout <= 0 {
		opts.DefaultTimeout = min(2*time.Minute, opts.MaxTimeout)
	}
	if opts.MaxOutput <= 0 {
		opts.MaxOutput = tool.DefaultMaxOutput
	}
	return (&shell{opts}).under(tool.Offer{})
}

// under is the tool as an agent with that offer has it.
func (s *shell) under(o tool.Offer) tool.Tool {
	o.Background = o.Background && !s.opts.NoBackground
	run := func(ctx context.Context, call *tool.Call, in shellInput) (*tool.Result, error) {
		if call.Offer != nil {
			return s.run(ctx, call, in, *call.Offer)
		}
		return s.run(ctx, call, in, o)
	}
	t := tool.MustNew("shell", s.describe(o), run,
		tool.Subject(tool.SubjectCommand, "command", ""),
		tool.MaxOutput(s.opts.MaxOutput+1000), // cut below, with words of its own
		tool.Constrain(func(sch *jsonschema.Schema) {
			atLeast1(sch, float64(s.opts.MaxTimeout.Milliseconds()), "timeout_ms")
			sch.Properties["command"].MinLength = jsonschema.Ptr(1)
			if !o.Background {
				delete(sch.Properties, "run_in_background")
			}
		}))
	if !s.opts.NoBackground {
		t.Adapt = func(o tool.Offer) (tool.Tool, bool) { return s.under(o), true }
	}
	return t
}

func ms(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

func (s *shell) run(ctx context.Context, call *tool.Call, in shellInput, o tool.Offer) (*tool.Result, error) {
	if strings.ContainsRune(in.Command, 0) {
		return tool.Errorf("The command holds a NUL byte, which no shell takes; nothing was run."), nil
	}
	if call.Env.Exec == nil {
		return tool.Errorf("There is nowhere to run commands in this session."), nil
	}
	if s.opts.NoBackground {
		o.Background = false
	}
	if in.RunInBackground {
		return s.launch(ctx, call, in, o)
	}
	timeout := s.opts.DefaultTimeout
	if in.TimeoutMS > 0 {
		timeout = time.Duration(in.TimeoutMS) * time.Millisecond
	}
	res, err := s.exec(ctx, call, o, execctx.ExecRequest{
		Command: in.Command, Env: s.opts.Env, Timeout: timeout,
		MaxOutputBytes: 2 * int64(s.opts.MaxOutput), // more than is shown, to cut at the end of a line
	})
	var notStarted *execctx.LaunchError
	switch {
	case res.Moved != nil: // the task is there, whatever else happened
		return s.moved(res, o), nil
	case errors.As(err, &notStarted):
		return tool.Errorf("The command could not be started: %v", notStarted), nil
	case err != nil && ctx.Err() == nil:
		return nil, fmt.Errorf("run a command: %w", err)
	}
	return s.result(ctx, res, timeout, err), nil
}
