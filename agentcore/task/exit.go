package task

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/stophook/stophook/execctx"
)

// Exit is the end of a background task.
type Exit struct {
	TaskID     string             `json:"taskId"`
	HandleID   string             `json:"handleId,omitempty"`
	Status     execctx.TaskStatus `json:"status"`
	ExitCode   *int               `json:"exitCode,omitempty"` // nil: nobody saw it
	Signal     string             `json:"signal,omitempty"`
	Command    string             `json:"command"`
	OutputPath string             `json:"outputPath"`
	StartedAt  time.Time          `json:"startedAt,omitzero"`
	EndedAt    time.Time          `json:"endedAt,omitzero"`
	Duration   time.Duration      `json:"durationNs"`
}

// FromExit is the end that a context told, at the time endedAt.
func FromExit(h execctx.Handle, e execctx.ExitInfo, endedAt time.Time) Exit {
	d := time.Duration(e.DurationMS) * time.Millisecond
	return Exit{TaskID: e.TaskID, HandleID: h.ID, Status: e.Status, ExitCode: e.ExitCode, Signal: e.Signal, Command: e.Command,
		OutputPath: e.OutputPath, StartedAt: endedAt.Add(-d), EndedAt: endedAt, Duration: d}
}

// FromEntry is the end of a listed task; false while it runs.
func FromEntry(h execctx.Handle, e execctx.TaskEntry) (Exit, bool) {
	if !e.Ended() {
		return Exit{}, false
	}
	exit := FromExit(h, e.ExitInfo, e.EndedAt)
	exit.StartedAt = e.StartedAt
	return exit, true
}

// Key tells ends apart. Task ids begin anew with every context, so the output file
// counts too, whose name holds a time; without one, the handle and the start (D-22).
type Key struct{ task, place string }

// Key is the key of an end.
func (e Exit) Key() Key {
	if e.OutputPath != "" {
		return Key{e.TaskID, e.OutputPath}
	}
	return Key{e.TaskID, e.HandleID + "@" + e.StartedAt.UTC().Format(time.RFC3339Nano)}
}

// Order sorts ends as they happened: by their end, their start, their number (AC-42,
// D-23). An end that nobody saw (zero) comes first.
func Order(exits []Exit) {
	slices.SortStableFunc(exits, func(a, b Exit) int {
		return cmp.Or(a.EndedAt.Compare(b.EndedAt), a.StartedAt.Compare(b.StartedAt), cmp.Compare(number(a.TaskID), number(b.TaskID)),
			cmp.Compare(a.TaskID, b.TaskID))
	})
}

// number is the number in an id of ours, after all others when there is none.
func number(id string) int {
	if n, err := execctx.ParseTaskID(id); err == nil {
		return n
	}
	return int(^uint(0) >> 1)
}

// summaryCommand is how much of a command a summary shows, in characters (D-26).
const summaryCommand = 200

// Summary is one line: the command, how long it took, how it ended (AC-71, D-25).
func (e Exit) Summary() string {
	command := []rune(e.Command)
	if len(command) > summaryCommand {
		command = append(command[:summaryCommand:summaryCommand], '…')
	}
	return fmt.Sprintf("%s (%.1fs) — %s", string(command), e.Duration.Seconds(), e.Ending())
}

// Ending says how it ended: exited 0, killed (SIGTERM), lost.
func (e Exit) Ending() string {
	code := "with an unknown code"
	if e.ExitCode != nil {
		code = strconv.Itoa(*e.ExitCode)
	}
	switch {
	case e.Status == execctx.StatusLost:
		return "lost"
	case e.Status == execctx.StatusKilled && e.Signal != "":
		return "killed (" + e.Signal + ")"
	case e.Status == execctx.StatusKilled:
		return "killed, exited " + code
	}
	return "exited " + code
}

// Banner is the line that a person sees (AC-113).
func (e Exit) Banner() string {
	ending := "exited (?)"
	switch {
	case e.Status == execctx.StatusKilled:
		ending = "killed"
	case e.Status == execctx.StatusLost:
		ending = "lost"
	case e.ExitCode != nil:
		ending = fmt.Sprintf("exited (%d)", *e.ExitCode)
	}
	return fmt.Sprintf("⌁ %s %s %.1fs %s", e.TaskID, ending, e.Duration.Seconds(), e.OutputPath)
}

// Stall is a task that has been quiet for long (AC-73).
type Stall struct {
	TaskID       string        `json:"taskId"`
	HandleID     string        `json:"handleId,omitempty"`
	Command      string        `json:"command"`
	OutputPath   string        `json:"outputPath"`
	StalledFor   time.Duration `json:"stalledForNs"`
	BytesWritten int64         `json:"bytesWritten"`
}

// FromStall is a stall that a context told.
func FromStall(h execctx.Handle, s execctx.StallInfo) Stall {
	return Stall{TaskID: s.TaskID, HandleID: h.ID, Command: s.Command, OutputPath: s.OutputPath,
		StalledFor: time.Duration(s.StalledForMS) * time.Millisecond}
}
