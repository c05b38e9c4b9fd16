//go:build unix

package supervised

import (
	"context"
	"fmt"
	"time"

	"github.com/stophook/stophook/execctx"
)

// ReassignBackground implements [execctx.BackgroundReassigner]. Both handles must
// be bound here. Of several programs that hand on a task at once, one does. There
// are no callbacks to be rewired (EX-80).
func (c *Context) ReassignBackground(ctx context.Context, req execctx.ReassignRequest) ([]execctx.TaskEntry, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if !c.bound(req.From) || !c.bound(req.To) {
		return nil, execctx.ErrUnknownHandle
	}
	unlock, err := c.store.lock(ctx)
	if err != nil {
		return nil, fmt.Errorf("supervised: wait for the store: %w", err)
	}
	defer unlock()
	// Destroy forgets tasks under the same lock, and only those that are still
	// its handle's.
	if !c.bound(req.To) {
		return nil, execctx.ErrUnknownHandle
	}
	tasks, err := c.store.tasks(req.From.ID)
	if err != nil {
		return nil, fmt.Errorf("supervised: %w", err)
	}
	var moved []*task
	for _, t := range tasks {
		if !t.running() {
			continue
		}
		if req.From.ID != req.To.ID {
			if err := c.store.own(t, ownerRecord{HandleID: req.To.ID, Since: time.Now().UTC()}); err != nil {
				return c.entries(moved), fmt.Errorf("supervised: hand on %s: %w", t.TaskID, err)
			}
		}
		t.handle = req.To.ID
		moved = append(moved, t)
	}
	return c.entries(moved), nil
}
