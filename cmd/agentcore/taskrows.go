package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/stophook/stophook/execctx"
	"github.com/stophook/stophook/internal/term"
	"github.com/stophook/stophook/transcript"
)

// What is known of a task that no store has.
const (
	statusGone    = "gone"    // its program is over, and its end was not recorded
	statusUnknown = "unknown" // an agent that runs knows it, or a handle that is not ours
)

// taskRow is one task of the list.
type taskRow struct {
	ID         string    `json:"task_id"`
	Status     string    `json:"status"`
	ExitCode   *int      `json:"exit_code,omitempty"`
	Signal     string    `json:"signal,omitempty"`
	Command    string    `json:"command,omitempty"`
	Durable    bool      `json:"durable"` // it outlives its agent, and can be waited for and killed
	PID        int       `json:"pid,omitempty"`
	Started    time.Time `json:"started,omitzero"`
	Ended      time.Time `json:"ended,omitzero"`
	DurationMS int64     `json:"duration_ms,omitempty"`
	Bytes      int64     `json:"bytes"`
	Output     string    `json:"output_path,omitempty"`
	Warnings   []string  `json:"warnings,omitempty"`
}

// rows are the tasks of a session: those of its store, then those that have a log alone.
func (o *owner) rows(ctx context.Context) ([]taskRow, error) {
	rows := []taskRow{}
	if o.store != nil {
		entries, err := execctx.List(ctx, o.store, o.handle)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			rows = append(rows, taskRow{ID: e.TaskID, Status: string(e.Status), ExitCode: e.ExitCode, Signal: e.Signal, Command: e.Command, Durable: true,
				PID: e.PID, Started: e.StartedAt, Ended: e.EndedAt, DurationMS: e.DurationMS, Bytes: e.BytesWritten, Output: e.OutputPath, Warnings: e.Warnings})
		}
	}
	logs, err := o.logs(rows)
	return append(rows, logs...), err
}

// logs are the tasks that have a log and are in no store, oldest first. The transcript
// knows their command, and their end where the agent was told of it.
func (o *owner) logs(known []taskRow) ([]taskRow, error) {
	files, err := os.ReadDir(o.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	told, err := transcript.Read(o.info.Path, transcript.Options{SessionID: o.info.ID})
	if err != nil {
		return nil, err
	}
	var rows []taskRow
	for _, f := range files {
		path := filepath.Join(o.dir, f.Name())
		id, stamp, ok := strings.Cut(strings.TrimSuffix(f.Name(), ".log"), ".")
		info, ierr := f.Info()
		if !ok || ierr != nil || !info.Mode().IsRegular() || !strings.HasSuffix(f.Name(), ".log") ||
			slices.ContainsFunc(known, func(r taskRow) bool { return r.Output == path }) {
			continue
		}
		row := taskRow{ID: id, Status: statusGone, Bytes: info.Size(), Output: path}
		if o.info.InUse || o.store != nil {
			row.Status = statusUnknown
		}
		if started, err := time.ParseInLocation("20060102-150405", stamp[:min(len(stamp), 15)], time.UTC); err == nil {
			row.Started = started
		}
		for _, t := range told.Tasks {
			if t.OutputFile != path {
				continue
			}
			row.Command = t.Command
			if t.EndedAt != nil {
				row.Status, row.ExitCode = endOf(t), t.ExitCode
			}
		}
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows, func(a, b taskRow) int { return cmp.Or(a.Started.Compare(b.Started), cmp.Compare(a.ID, b.ID)) })
	return rows, nil
}

// endOf words the end of a task of the transcript as a context does.
func endOf(t transcript.Task) string {
	switch t.Status {
	case "", "completed", "failed":
		return string(execctx.StatusExited)
	case "stopped":
		return string(execctx.StatusKilled)
	}
	return t.Status
}

// one is the task that the arguments name. Of several with one id, which sessions that
// were resumed can have, it is the latest.
func (o *owner) one(ctx context.Context, args []string) (taskRow, error) {
	rows, err := o.rows(ctx)
	if err != nil {
		return taskRow{}, err
	}
	if len(args) == 0 {
		return taskRow{}, fmt.Errorf("which task? `agentcore tasks list %s` lists them", short(o.info.ID))
	}
	if len(args) > 1 {
		return taskRow{}, fmt.Errorf("one task at a time; %q is one too many", term.OneLine(args[1], 60))
	}
	var ids []string
	found := -1
	for i, r := range rows {
		if !slices.Contains(ids, r.ID) {
			ids = append(ids, r.ID)
		}
		if r.ID == args[0] && (found < 0 || !rows[found].Durable) {
			found = i
		}
	}
	if found < 0 {
		return taskRow{}, fmt.Errorf("there is no task %q in session %s; it has %s", term.OneLine(args[0], 60), short(o.info.ID), cmp.Or(strings.Join(ids, ", "), "none"))
	}
	return rows[found], nil
}

// taskLogs prints a log, from its file: also one that no context knows any more.
func (p *program) taskLogs(c *cli.Context, o *owner, args []string) error {
	row, err := o.one(c.Context, args)
	if err != nil {
		return usage(err)
	}
	tail := c.Int64("tail")
	if tail < 0 {
		return usage(fmt.Errorf("--tail %d: a size is not below 0", tail))
	}
	file, err := os.Open(row.Output)
	if err != nil {
		return fmt.Errorf("the output of %s: %w", row.ID, err)
	}
	defer file.Close()
	if size, err := file.Seek(0, io.SeekEnd); err != nil {
		return err
	} else if _, err = file.Seek(cut(size, tail), io.SeekStart); err != nil {
		return err
	}
	if !c.Bool("follow") {
		_, err := io.Copy(p.stdout, file)
		return err
	}
	return p.follow(o, row, file)
}

// cut is where the last n of so many bytes begin; 0 takes all of them.
func cut(size, n int64) int64 {
	if n == 0 {
		return 0
	}
	return max(size-n, 0)
}

// follow prints what comes until the task has ended: the state is asked first, so that
// nothing that came before the end is missed.
func (p *program) follow(o *owner, row taskRow, file *os.File) error {
	ctx, stop := p.interrupted()
	defer stop()
	ticker := time.NewTicker(logPoll)
	defer ticker.Stop()
	for {
		runs := o.runs(ctx, row)
		if _, err := io.Copy(p.stdout, file); err != nil {
			return err
		}
		if !runs {
			return nil
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// runs tells whether output can still come.
func (o *owner) runs(ctx context.Context, row taskRow) bool {
	if !row.Durable {
		return row.Status == statusUnknown // until Ctrl-C: nobody tells us of its end
	}
	entries, err := execctx.List(ctx, o.store, o.handle)
	return err == nil && slices.ContainsFunc(entries, func(e execctx.TaskEntry) bool { return e.TaskID == row.ID && !e.Ended() })
}
