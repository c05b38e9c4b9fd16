package evidence

import (
	"context"
	"fmt"
	"path/filepath"
	"time"
)

const (
	firstPause = time.Millisecond
	longPause  = 16 * time.Millisecond
)

// locked opens the session's folder, making it when needed, and runs fn under
// the session's lock. The wait ends with the context or after Store.LockWait.
func (s *Session) locked(ctx context.Context, fn func(folder) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	dir, err := s.open(true)
	if err != nil {
		return err
	}
	defer dir.close()
	lock, err := dir.open(lockName, forLock)
	if err != nil {
		return err
	}
	if err := s.wait(ctx, lock); err != nil {
		lock.close()
		return err
	}
	defer lock.unlock()
	return fn(dir)
}

// wait polls, because a blocking flock cannot be bounded without leaving a
// goroutine behind. Holders work for some 0.1 ms, so the first pause is short.
func (s *Session) wait(ctx context.Context, lock file) error {
	got, err := lock.tryLock()
	if got || err != nil {
		return err
	}
	bound := time.NewTimer(s.store.LockWait)
	defer bound.Stop()
	pause := time.NewTimer(firstPause)
	defer pause.Stop()
	for next := 2 * firstPause; ; next = min(2*next, longPause) {
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w", lock.path, ctx.Err())
		case <-bound.C:
			return fmt.Errorf("%w (%s, waited %s): look for a hanging stophook, then try again",
				ErrLockTimeout, filepath.Clean(lock.path), s.store.LockWait)
		case <-pause.C:
		}
		if got, err := lock.tryLock(); got || err != nil {
			return err
		}
		pause.Reset(next)
	}
}
