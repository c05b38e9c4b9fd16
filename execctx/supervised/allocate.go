//go:build unix

package supervised

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/stophook/stophook/execctx"
)

// slot is the folder of a task that is about to be started, with its lock held
// by this program. The supervisor inherits the open file, and the lock with it:
// from here to the end of the task it is never free.
type slot struct {
	n    int
	dir  string
	lock *os.File
}

// allocate gives the next id, unless limit tasks run already. Of two programs
// none gets the id of the other. Error: [*execctx.TooManyTasksError].
func (s *store) allocate(ctx context.Context, limit int, logPath func(n int) string) (*slot, error) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	numbers, err := s.numbers()
	if err != nil {
		return nil, err
	}
	if err := s.room(numbers, limit); err != nil {
		return nil, err
	}
	n := 0
	if len(numbers) > 0 {
		n = numbers[len(numbers)-1]
	}
	for {
		n++
		if _, err := os.Lstat(logPath(n)); err == nil {
			continue // of a store that shares the folder for logs
		}
		got, err := s.take(n)
		if !errors.Is(err, fs.ErrExist) {
			return got, err
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
}

// take makes the folder of a task.
func (s *store) take(n int) (*slot, error) {
	got := &slot{n: n, dir: s.taskDir(n)}
	if err := os.Mkdir(got.dir, dirMode); err != nil {
		return nil, err
	}
	var err error
	if got.lock, err = openOwn(filepath.Join(got.dir, fileLock), os.O_RDWR|os.O_CREATE|os.O_EXCL); err != nil {
		_ = os.Remove(got.dir)
		return nil, err
	}
	_, err = got.lock.WriteAt(make([]byte, 8), 0)
	if err == nil {
		var ours bool
		if ours, err = tryLock(got.lock, syscall.LOCK_EX); err == nil && !ours {
			err = errors.New("a new lock is taken already")
		}
	}
	if err != nil {
		got.discard()
		return nil, fmt.Errorf("lock the task's folder: %w", err)
	}
	return got, nil
}

// release lets go of the lock, which the supervisor may have inherited.
func (s *slot) release() { s.lock.Close() }

// discard removes what was to become a task.
func (s *slot) discard() {
	removeTask(s.dir)
	s.release()
}

// removeTask removes what is ours in a task's folder, and the folder when
// nothing else is in it.
func removeTask(dir string) {
	for _, name := range ownFiles() {
		_ = os.Remove(filepath.Join(dir, name))
	}
	_ = os.Remove(dir)
}

// room tells why a task more cannot be. Launches that were given up before
// anything was started are cleared away. The store's lock is held.
func (s *store) room(numbers []int, limit int) error {
	var running []string
	for _, n := range numbers {
		if s.occupied(n) {
			running = append(running, execctx.TaskID(n))
		}
	}
	if limit < 0 || len(running) < limit {
		return nil
	}
	return &execctx.TooManyTasksError{Limit: limit, Running: running}
}

// occupied tells whether a task runs or is being started.
func (s *store) occupied(n int) bool {
	s.mu.Lock()
	over := s.ended[n]
	s.mu.Unlock()
	if over {
		return false
	}
	dir := s.taskDir(n)
	alive, err := held(filepath.Join(dir, fileLock))
	if alive || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return !exists(filepath.Join(dir, fileExit))
	}
	if !exists(filepath.Join(dir, fileExit)) && !exists(filepath.Join(dir, fileLaunch)) {
		// Its program was killed before a supervisor had written anything, and so
		// before anything was started.
		removeTask(dir)
		return false
	}
	s.mu.Lock()
	s.ended[n] = true
	s.mu.Unlock()
	return false
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}
