package execctx

import (
	"context"
	"slices"
)

// ReassignBackground implements [BackgroundReassigner]. Silence that the old
// owner was told of is not told again. Handing a handle's tasks to itself
// rewires their callbacks.
func (c *ProcessContext) ReassignBackground(ctx context.Context, req ReassignRequest) ([]TaskEntry, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	from, to := c.owners[req.From.ID], c.owners[req.To.ID]
	if from == nil || from.gone || to == nil || to.gone {
		return nil, ErrUnknownHandle
	}
	var moved []*task
	stay := make([]*task, 0, len(from.tasks))
	for _, t := range from.tasks {
		if t.exit.Status == StatusRunning {
			moved = append(moved, t)
		} else {
			stay = append(stay, t)
		}
	}
	from.tasks = stay
	for _, t := range moved {
		t.owner, t.onExit, t.stall.tell = to, req.OnExit, req.OnStall
	}
	to.tasks = slices.Concat(to.tasks, moved)
	slices.SortFunc(to.tasks, func(a, b *task) int { return a.n - b.n })
	return entries(moved), nil
}
