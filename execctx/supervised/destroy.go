//go:build unix

package supervised

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/stophook/stophook/execctx"
)

// Destroy implements [execctx.Lifecycle]. It ends the tasks of the handle whoever
// launched them, and forgets them: no context lists them any more. Their records
// and logs stay on disk, see [Context.Prune]. A handle that is not bound here is
// destroyed as well, by what the store knows of it.
//
// A program that is to leave its tasks running does not call it, see
// [Context.Close].
func (c *Context) Destroy(ctx context.Context, h execctx.Handle) error {
	c.mu.Lock()
	o := c.owners[h.ID]
	if o == nil {
		o = &owner{Handle: h}
		c.owners[h.ID] = o
	}
	if !o.gone {
		o.gone, o.destroyed = true, make(chan struct{})
		go c.destroy(o)
	}
	c.mu.Unlock()
	select {
	case <-o.destroyed:
		return o.failed
	default:
	}
	select {
	case <-o.destroyed:
		return o.failed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// destroy does the work; the handle is found by nobody else meanwhile.
func (c *Context) destroy(o *owner) {
	defer close(o.destroyed)
	ctx := context.Background()
	var near sync.WaitGroup
	var errs [3]error
	near.Go(func() { errs[0] = c.near.Destroy(ctx, o.Handle) })
	_, _ = c.askAll(o.ID)
	o.starting.Wait() // after this nothing is launched by this context
	tasks, err := c.askAll(o.ID)
	errs[1] = err
	for _, t := range tasks {
		near.Go(func() {
			if t := c.store.await(ctx, t); t != nil {
				_ = c.clear(ctx, t)
			}
		})
	}
	near.Wait()
	errs[2] = c.forget(ctx, o.ID, tasks)
	o.failed = errors.Join(errs[:]...)
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.owners, o.ID)
}

// askAll asks every running task of a handle to end.
func (c *Context) askAll(handle string) ([]*task, error) {
	tasks, err := c.store.tasks(handle)
	for _, t := range tasks {
		if t.running() {
			askEnd(t)
		}
	}
	return tasks, err
}

// forget takes tasks that ended away from a handle. One that another program
// has handed on meanwhile, or launched, is left alone.
func (c *Context) forget(ctx context.Context, handle string, ended []*task) error {
	if len(ended) == 0 {
		return nil
	}
	unlock, err := c.store.lock(ctx)
	if err != nil {
		return fmt.Errorf("supervised: wait for the store: %w", err)
	}
	defer unlock()
	now := time.Now().UTC()
	var errs []error
	for _, t := range slices.Clone(ended) {
		if still := c.store.find(handle, t.TaskID); still == nil || still.running() {
			continue
		}
		if err := c.store.own(t, ownerRecord{Forgotten: true, Since: now}); err != nil {
			errs = append(errs, fmt.Errorf("supervised: forget %s: %w", t.TaskID, err))
		}
	}
	return errors.Join(errs...)
}
