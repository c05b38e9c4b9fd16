package execctx

import (
	"context"
	"time"
)

// WaitBackground implements [BackgroundWaiter]. A task that is handed on or
// whose handle is destroyed meanwhile is waited for all the same.
func (c *ProcessContext) WaitBackground(ctx context.Context, h Handle, taskID string, timeout time.Duration) (*ExitInfo, error) {
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
	if !await(ctx, t.done) {
		return nil, nil
	}
	return t.info(), nil
}
