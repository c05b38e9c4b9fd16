//go:build unix

package supervised

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/stophook/stophook/execctx"
)

// prunedPrefix begins the name of a record that is being deleted.
const prunedPrefix = ".pruned-"

// Prune deletes the records of tasks of all handles that ended, or were seen
// lost, at least age ago, and gives how many. Logs stay unless logs is set. Files
// that are not of this package are never deleted. The newest id stays, so that
// none is given twice.
func (c *Context) Prune(ctx context.Context, age time.Duration, logs bool) (int, error) {
	unlock, err := c.store.lock(ctx)
	if err != nil {
		return 0, fmt.Errorf("supervised: wait for the store: %w", err)
	}
	defer unlock()
	c.store.clearPruned()
	numbers, err := c.store.numbers()
	if err != nil {
		return 0, fmt.Errorf("supervised: %w", err)
	}
	limit := time.Now().Add(-age)
	count := 0
	var errs []error
	for _, n := range numbers[:max(len(numbers)-1, 0)] {
		if ctx.Err() != nil {
			return count, errors.Join(append(errs, context.Cause(ctx))...)
		}
		t := c.store.load(n)
		if t == nil || t.running() || !c.store.lastSign(t).Before(limit) {
			continue
		}
		if err := c.store.remove(t, logs); err != nil {
			errs = append(errs, fmt.Errorf("supervised: delete the record of %s: %w", t.TaskID, err))
			continue
		}
		count++
	}
	return count, errors.Join(errs...)
}

// lastSign is when a task ended; of a lost one, that of the latest sign of it. One
// that still has processes is not over.
func (s *store) lastSign(t *task) time.Time {
	if t.exit != nil {
		return t.exit.EndedAt
	}
	if !t.otherRunThan(s.here) {
		if left := s.search(t); !left.known || len(left.group) > 0 {
			return time.Now().Add(time.Hour)
		}
	}
	latest := t.StartedAt
	for _, name := range []string{filepath.Join(t.dir, fileLock), filepath.Join(t.dir, fileOwner), t.OutputPath} {
		if info, err := os.Lstat(name); err == nil && info.ModTime().After(latest) {
			latest = info.ModTime()
		}
	}
	return latest
}

// remove deletes a record, and the log if asked to.
func (s *store) remove(t *task, logs bool) error {
	left, err := putAway(t.dir)
	if err != nil {
		return err
	}
	s.mu.Lock()
	delete(s.exits, t.n)
	delete(s.over, t.n)
	delete(s.vacant, t.n)
	s.mu.Unlock()
	if left != "" {
		s.complain(fmt.Errorf("%s holds files that are not of the record of %s: they stay", left, t.TaskID))
	}
	if logs {
		if _, _, ours := execctx.ParseLogName(filepath.Base(t.OutputPath)); ours {
			_ = os.Remove(t.OutputPath)
		}
	}
	return nil
}

// clearPruned goes on where somebody was killed.
func (s *store) clearPruned() {
	entries, _ := os.ReadDir(s.dir)
	for _, entry := range entries {
		if entry.IsDir() && strings.HasPrefix(entry.Name(), prunedPrefix) {
			removeTask(filepath.Join(s.dir, entry.Name()))
		}
	}
}
