package builtin

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/stophook/stophook/agentcore/tool"
	"github.com/stophook/stophook/execctx"
)

//go:embed shell.md
var shellText string

// shellInput is what a model gives.
type shellInput struct {
	Command     string `json:"command" jsonschema:"the command line to run"`
	TimeoutMS   int64  `json:"timeout_ms,omitempty" jsonschema:"milliseconds after which the command is ended"`
	Description string `json:"description,omitempty" jsonschema:"what the command is for, in 5 to 10 words"`
}

// ShellOutput is the structured result of a command that ended with 0, or was
// broken off, as transcripts have it.
type ShellOutput struct {
	Stdout           string `json:"stdout"` // stderr as well, in order
	Stderr           string `json:"stderr"` // always empty: see Stdout
	Interrupted      bool   `json:"interrupted"`
	IsImage          bool   `json:"isImage"`
	NoOutputExpected bool   `json:"noOutputExpected"`
}

// shell runs commands.
type shell struct{ opts ShellOptions }

// NewShell makes the shell tool. A command runs in the foreground; its text begins
// with "Exit code N" when it failed, which readers of transcripts rely on.
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
	s := &shell{opts}
	text := strings.NewReplacer("{default}", ms(opts.DefaultTimeout), "{max}", ms(opts.MaxTimeout)).Replace(shellText)
	return tool.MustNew("shell", text, s.run,
		tool.Subject(tool.SubjectCommand, "command", ""),
		tool.MaxOutput(opts.MaxOutput+1000), // cut below, with words of its own
		tool.Constrain(func(sch *jsonschema.Schema) {
			atLeast1(sch, float64(opts.MaxTimeout.Milliseconds()), "timeout_ms")
			sch.Properties["command"].MinLength = jsonschema.Ptr(1)
		}))
}

func ms(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

func (s *shell) run(ctx context.Context, call *tool.Call, in shellInput) (*tool.Result, error) {
	if strings.ContainsRune(in.Command, 0) {
		return tool.Errorf("The command holds a NUL byte, which no shell takes; nothing was run."), nil
	}
	if call.Env.Exec == nil {
		return tool.Errorf("There is nowhere to run commands in this session."), nil
	}
	timeout := s.opts.DefaultTimeout
	if in.TimeoutMS > 0 {
		timeout = time.Duration(in.TimeoutMS) * time.Millisecond
	}
	res, err := call.Env.Exec.Exec(ctx, call.Env.Handle, execctx.ExecRequest{
		Command: in.Command, Env: s.opts.Env, Timeout: timeout,
		MaxOutputBytes: 2 * int64(s.opts.MaxOutput), // more than is shown, to cut at the end of a line
	})
	var notStarted *execctx.LaunchError
	switch {
	case errors.As(err, &notStarted):
		return tool.Errorf("The command could not be started: %v", notStarted), nil
	case err != nil && ctx.Err() == nil:
		return nil, fmt.Errorf("run a command: %w", err)
	}
	return s.result(ctx, res, timeout, err), nil
}

// result says how the command ended and what it printed.
func (s *shell) result(ctx context.Context, res execctx.ExecResult, timeout time.Duration, err error) *tool.Result {
	output, cut := tool.Bound(strings.TrimRight(plain(string(res.Output)), "\r\n"), tool.Limits{
		Bytes: s.opts.MaxOutput, Dropped: int(res.DroppedBytes),
		Hint: "To see more, redirect the output to a file and use grep or read_file on it.",
	})
	out := &tool.Result{Cut: cut, Structured: ShellOutput{Stdout: output}}
	notes := ""
	for _, w := range res.Warnings {
		notes += "\nNote: " + w
	}
	took := (time.Duration(res.DurationMS) * time.Millisecond).String()
	switch {
	case err != nil:
		aborted := tool.Aborted(ctx, true)
		out.Text = aborted.Text + " The command had run for " + took + "; it was ended, with everything it had started." + printed(output) + notes
		out.IsError, out.Aborted, out.Structured = true, true, ShellOutput{Stdout: output, Interrupted: true}
	case res.TimedOut:
		out.Text = fmt.Sprintf("The command timed out after %v and was ended, with everything it had started. "+
			"Give a longer timeout_ms, or do the work in smaller steps.%s%s", timeout, printed(output), notes)
		out.IsError, out.Structured = true, ShellOutput{Stdout: output, Interrupted: true}
	case res.ExitCode == nil:
		out.Text = "How the command ended is not known." + printed(output) + notes
		out.IsError = true
	case *res.ExitCode != 0:
		out.Text = fmt.Sprintf("Exit code %d", *res.ExitCode)
		if output != "" {
			out.Text += "\n" + output
		}
		if res.Signal != "" {
			notes = "\nNote: it was ended by " + res.Signal + "." + notes
		}
		out.Text += notes
		out.IsError, out.Structured = true, "Error: "+out.Text
	default:
		out.Text = output
		if output == "" {
			out.Text = "(It succeeded and printed nothing.)"
		}
		out.Text += notes
	}
	return out
}

func printed(output string) string {
	if output == "" {
		return " It had printed nothing."
	}
	return " Output until then:\n" + output
}

// plain takes terminal sequences (colours, titles, cursor moves) out of an output:
// they are for a screen.
func plain(text string) string {
	if !strings.ContainsRune(text, '\x1b') {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		if n := sequence(text[i:]); n > 0 {
			i += n
			continue
		}
		b.WriteByte(text[i])
		i++
	}
	return b.String()
}

// sequence is the length of the terminal sequence that a text begins with, 0 if
// there is none.
func sequence(s string) int {
	if len(s) < 2 || s[0] != '\x1b' {
		return 0
	}
	switch s[1] {
	case '[':
		for i := 2; i < len(s) && i < 64; i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
			if s[i] < 0x20 || s[i] > 0x3f {
				return 0
			}
		}
	case ']':
		for i := 2; i < len(s) && i < 512; i++ {
			if s[i] == '\a' {
				return i + 1
			}
			if s[i] == '\x1b' && i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
		}
	}
	return 0
}
