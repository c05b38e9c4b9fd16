package execctx

import "context"

// ListBackground implements [BackgroundLister].
func (c *ProcessContext) ListBackground(ctx context.Context, h Handle) ([]TaskEntry, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	o := c.owners[h.ID]
	if o == nil || o.gone {
		return nil, nil
	}
	return entries(o.tasks), nil
}

// entries describes tasks; the context's lock is held.
func entries(tasks []*task) []TaskEntry {
	if len(tasks) == 0 {
		return nil
	}
	list := make([]TaskEntry, len(tasks))
	for i, t := range tasks {
		list[i] = TaskEntry{
			ExitInfo: copyExit(t.exit), HandleID: t.owner.ID, PID: t.proc.PID(), CWD: t.cwd,
			StartedAt: t.started, EndedAt: t.endedAt, BytesWritten: t.log.total.Load(),
		}
	}
	return list
}
