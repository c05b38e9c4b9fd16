package execctx

import "context"

// KillBackground implements [BackgroundKiller]. Of a task that has ended, what it
// left behind in its process group is ended too, and waited for.
func (c *ProcessContext) KillBackground(ctx context.Context, h Handle, taskID string) (*ExitInfo, error) {
	t := c.find(h, taskID)
	if t == nil {
		return nil, nil
	}
	t.proc.Terminate() // nothing when it has ended
	if !await(ctx, t.done) {
		return nil, context.Cause(ctx)
	}
	released := make(chan struct{})
	go func() {
		defer close(released)
		t.release()
	}()
	if !await(ctx, released) {
		return nil, context.Cause(ctx)
	}
	return t.info(), nil
}

// await tells whether done was closed before ctx ended; done goes first.
func await(ctx context.Context, done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
	}
	select {
	case <-done:
		return true
	case <-ctx.Done():
		return false
	}
}
