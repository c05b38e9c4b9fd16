package execctx

import (
	"context"
	"sync"
)

// Destroy implements [Lifecycle]. A start that it races with fails with
// [ErrUnknownHandle], or what was started is ended as well. When ctx ends first,
// the rest is done all the same, and calling again waits for it.
func (c *ProcessContext) Destroy(ctx context.Context, h Handle) error {
	c.mu.Lock()
	o := c.owners[h.ID]
	if o == nil {
		c.mu.Unlock()
		return nil
	}
	if !o.gone {
		o.gone, o.destroyed = true, make(chan struct{})
		go c.destroy(o)
	}
	c.mu.Unlock()
	if !await(ctx, o.destroyed) {
		return context.Cause(ctx)
	}
	return nil
}

// destroy ends everything that runs for an owner whom nobody finds any more, and
// forgets it.
func (c *ProcessContext) destroy(o *owner) {
	defer close(o.destroyed)
	c.terminate(o)
	o.starting.Wait() // after this nothing is added
	tasks, calls := c.terminate(o)
	for _, call := range calls {
		<-call.ended()
	}
	for _, t := range tasks {
		<-t.done
	}
	c.mu.Lock()
	kept := o.kept
	c.mu.Unlock()
	var releases sync.WaitGroup
	for _, t := range tasks {
		releases.Go(t.release)
	}
	for _, p := range kept {
		releases.Go(func() { c.release(p, "a command in the foreground") })
	}
	releases.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	o.tasks, o.kept = nil, nil
	if c.owners[o.ID] == o { // not spawned again meanwhile
		delete(c.owners, o.ID)
	}
}

// terminate asks everything to end, all at the same time.
func (c *ProcessContext) terminate(o *owner) (tasks []*task, calls []foreground) {
	c.mu.Lock()
	tasks = append(tasks, o.tasks...)
	for call := range o.calls {
		calls = append(calls, call)
	}
	c.mu.Unlock()
	for _, t := range tasks {
		t.proc.Terminate()
	}
	for _, call := range calls {
		call.terminate()
	}
	return tasks, calls
}
