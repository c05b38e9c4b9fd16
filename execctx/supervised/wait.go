//go:build unix

package supervised

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/stophook/stophook/execctx"
)

// WaitBackground implements [execctx.BackgroundWaiter], for tasks of any program.
// A task that is handed on or whose handle is destroyed meanwhile is waited for
// all the same.
func (c *Context) WaitBackground(ctx context.Context, h execctx.Handle, taskID string, timeout time.Duration) (*execctx.ExitInfo, error) {
	t := c.find(h, taskID)
	if t == nil {
		return nil, nil
	}
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		defer cancel()
		timer := c.opts.Clock.AfterFunc(timeout, cancel)
		defer timer.Stop()
	}
	if t = c.store.await(ctx, t); t == nil {
		return nil, nil
	}
	info := t.info()
	return &info, nil
}

// find gives a task of a handle as it is now, or nil.
func (c *Context) find(h execctx.Handle, taskID string) *task {
	if c.gone(h) {
		return nil
	}
	return c.store.find(h.ID, taskID)
}

// await gives a task once it has ended; nil when ctx ended first, or its record
// was removed.
func (s *store) await(ctx context.Context, t *task) *task {
	for pause := time.Duration(0); t != nil; t = s.load(t.n) {
		if !t.running() {
			if t.lost {
				s.explain(t)
			}
			return t
		}
		if ctx.Err() != nil {
			return nil
		}
		// Woken by the end of the supervisor. A lock that is still held then is
		// about to be free.
		if watchPipe(ctx, filepath.Join(t.dir, fileAlive)) {
			pause = 0
			continue
		}
		sleep(ctx, pause)
		pause = backOff(pause)
	}
	return nil
}

// watchPipe returns when a pipe that a supervisor holds open is closed, or ctx
// ends. It tells whether it waited at all.
func watchPipe(ctx context.Context, name string) (waited bool) {
	if runtime.GOOS != "linux" {
		return false // pollers of other systems miss that end
	}
	pipe, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return false
	}
	defer pipe.Close()
	if pipe.SetReadDeadline(time.Time{}) != nil {
		return false // no pipe: not of our making
	}
	stop := context.AfterFunc(ctx, func() { _ = pipe.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	begun := time.Now()
	_, _ = pipe.Read(make([]byte, 1))
	return time.Since(begun) > time.Millisecond
}
