//go:build unix

package supervised

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/stophook/stophook/execctx"
	"github.com/stophook/stophook/execctx/internal/proc"
)

// KillBackground implements [execctx.BackgroundKiller], for tasks of any program.
// The task's supervisor is asked, which ends the group. Of a task that has ended,
// or is lost, what still runs in its process group is ended and waited for, as
// far as it can be told from strangers.
func (c *Context) KillBackground(ctx context.Context, h execctx.Handle, taskID string) (*execctx.ExitInfo, error) {
	t := c.find(h, taskID)
	if t == nil {
		return nil, nil
	}
	if t.running() {
		askEnd(t)
		if t = c.store.await(ctx, t); t == nil {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			return nil, nil // its record was removed
		}
	}
	if err := c.clear(ctx, t); err != nil {
		return nil, err
	}
	info := t.info()
	return &info, nil
}

// askEnd asks a supervisor to end its command. A pipe cannot reach a stranger:
// when nobody reads it, the supervisor is gone, and whoever waits for the task
// sees that.
func askEnd(t *task) {
	pipe, err := os.OpenFile(filepath.Join(t.dir, fileControl), os.O_WRONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return
	}
	defer pipe.Close()
	if info, err := pipe.Stat(); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return
	}
	_, _ = pipe.Write([]byte{'T'})
}

// clear ends what an ended task left behind in its group.
func (c *Context) clear(ctx context.Context, t *task) error {
	if !t.lost && (t.exit == nil || !t.exit.Survivors) {
		return nil
	}
	left, err := c.store.sweep(ctx, t, c.opts.KillGrace)
	if err == nil && len(left) > 0 {
		c.opts.Warn(fmt.Errorf("supervised: %s, left behind by %s, did not end under SIGKILL", proc.Names(left), t.TaskID))
	}
	if t.lost {
		c.store.explain(t)
	}
	return err
}
