//go:build unix

package supervised

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	numbers = slices.DeleteFunc(numbers, s.abandoned)
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
	putAway(s.dir)
	s.release()
}

// putAway makes a task's folder disappear at once, by a new name, before its files
// go: nobody sees half of it, and the id is free for somebody else. What is in it
// that is not ours stays, under the name that is returned.
func putAway(dir string) (left string, err error) {
	away := filepath.Join(filepath.Dir(dir), prunedPrefix+filepath.Base(dir)+"-"+strings.ToLower(rand.Text()))
	if err := os.Rename(dir, away); err != nil {
		return dir, err
	}
	removeTask(away)
	if exists(away) {
		left = away
	}
	return left, nil
}

// removeTask removes what is ours in a task's folder, and the folder when
// nothing else is in it.
func removeTask(dir string) {
	for _, name := range ownFiles() {
		_ = os.Remove(filepath.Join(dir, name))
	}
	_ = os.Remove(dir)
}

// room tells why a task more cannot be. The store's lock is held.
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
	over := s.over[n]
	s.mu.Unlock()
	if over {
		return false
	}
	dir := s.taskDir(n)
	alive, err := held(filepath.Join(dir, fileLock))
	if alive || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return !exists(filepath.Join(dir, fileExit))
	}
	s.mu.Lock()
	s.over[n] = true
	s.mu.Unlock()
	return false
}

// abandoned clears away the folder of a launch whose program was killed before a
// supervisor had written anything, and so before anything was started. The
// store's lock is held, so that it is no launch that is just beginning.
func (s *store) abandoned(n int) bool {
	s.mu.Lock()
	over := s.over[n]
	s.mu.Unlock()
	dir := s.taskDir(n)
	if over || exists(filepath.Join(dir, fileLaunch)) || exists(filepath.Join(dir, fileExit)) {
		return false
	}
	busy, err := held(filepath.Join(dir, fileLock))
	if errors.Is(err, fs.ErrNotExist) {
		// Killed earlier still, and the folder is empty; or it is not ours.
		return os.Remove(dir) == nil
	}
	if busy || err != nil {
		return false
	}
	// Between the two looks it may have become a task that has ended.
	if exists(filepath.Join(dir, fileLaunch)) || exists(filepath.Join(dir, fileExit)) {
		return false
	}
	putAway(dir)
	return !exists(dir)
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}
