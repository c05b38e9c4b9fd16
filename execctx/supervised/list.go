//go:build unix

package supervised

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/stophook/stophook/execctx"
)

// ListBackground implements [execctx.BackgroundLister]. It asks the store, and so
// sees what any program launched, ended or handed on. An entry of a lost task has
// no EndedAt: nobody saw it.
func (c *Context) ListBackground(ctx context.Context, h execctx.Handle) ([]execctx.TaskEntry, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if c.gone(h) {
		return nil, nil
	}
	tasks, err := c.store.tasks(h.ID)
	if err != nil {
		return nil, fmt.Errorf("supervised: %w", err)
	}
	return c.entries(tasks), nil
}

func (c *Context) entries(tasks []*task) []execctx.TaskEntry {
	var entries []execctx.TaskEntry
	for _, t := range tasks {
		if t.lost {
			c.store.explain(t)
		}
		entries = append(entries, t.entry())
	}
	return entries
}

// ReadOutput gives at most limit bytes of a task's log from an offset on, and the
// offset behind them. Logs only grow: who keeps the offset misses nothing and
// reads nothing twice, also in another program. Nothing new gives no bytes, the
// same offset and no error. Errors: one that matches fs.ErrNotExist for a task
// that the handle does not have or whose log is gone.
func (c *Context) ReadOutput(ctx context.Context, h execctx.Handle, taskID string, offset int64, limit int) (data []byte, next int64, err error) {
	if ctx.Err() != nil {
		return nil, offset, context.Cause(ctx)
	}
	t := c.find(h, taskID)
	if t == nil {
		return nil, offset, fmt.Errorf("supervised: read the output of %q: %w", taskID, fs.ErrNotExist)
	}
	file, err := openOwn(t.OutputPath, os.O_RDONLY)
	if err != nil {
		return nil, offset, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, offset, err
	}
	size := max(min(int64(limit), info.Size()-offset), 0)
	data = make([]byte, size)
	n, err := file.ReadAt(data, offset)
	if err == io.EOF {
		err = nil
	}
	return data[:n], offset + int64(n), err
}

// LastOutput is when a task last wrote something, or started: the time of its
// log's last change. It stands in for [execctx.LaunchRequest].OnStall, which a
// durable context cannot call. Error: one that matches fs.ErrNotExist, as of
// ReadOutput.
func (c *Context) LastOutput(ctx context.Context, h execctx.Handle, taskID string) (time.Time, error) {
	if ctx.Err() != nil {
		return time.Time{}, context.Cause(ctx)
	}
	t := c.find(h, taskID)
	if t == nil {
		return time.Time{}, fmt.Errorf("supervised: look at the output of %q: %w", taskID, fs.ErrNotExist)
	}
	info, err := os.Lstat(t.OutputPath)
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}
