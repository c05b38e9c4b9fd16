package builtin

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/stophook/stophook/agentcore/tool"
	"github.com/stophook/stophook/execctx"
)

// ShellOutput is the structured result of a command that ended with 0, was broken
// off, or runs in the background, as transcripts have it: readers of a transcript
// know a task by BackgroundTaskID.
type ShellOutput struct {
	Stdout           string `json:"stdout"` // stderr as well, in order; empty for a task
	Stderr           string `json:"stderr"` // always empty: see Stdout
	Interrupted      bool   `json:"interrupted"`
	IsImage          bool   `json:"isImage"`
	NoOutputExpected bool   `json:"noOutputExpected"`

	BackgroundTaskID string `json:"backgroundTaskId,omitempty"`
	// BackgroundedToDeliverMessage marks a foreground command that the host moved;
	// Stdout is then what it had printed until then (AC-183).
	BackgroundedToDeliverMessage bool `json:"backgroundedToDeliverMessage,omitempty"`
}

// bound cuts an output to what is kept.
func (s *shell) bound(res execctx.ExecResult) (string, tool.Cut) {
	return tool.Bound(strings.TrimRight(plain(string(res.Output)), "\r\n"), tool.Limits{
		Bytes: s.opts.MaxOutput, Dropped: int(res.DroppedBytes),
		Hint: "To see more, redirect the output to a file and use grep or read_file on it.",
	})
}

// result says how the command ended and what it printed.
func (s *shell) result(ctx context.Context, res execctx.ExecResult, timeout time.Duration, err error) *tool.Result {
	output, cut := s.bound(res)
	out := &tool.Result{Cut: cut, Structured: ShellOutput{Stdout: output}}
	notes := notesOf(res.Warnings)
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

func notesOf(warnings []string) string {
	notes := ""
	for _, w := range warnings {
		notes += "\nNote: " + w
	}
	return notes
}

func printed(output string) string {
	if output == "" {
		return " It had printed nothing."
	}
	return " Output until then:\n" + output
}
