//go:build unix

package supervised

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/stophook/stophook/execctx"
)

// storeLock is the file whose lock is held while ids are given and owners
// change.
const storeLock = ".lock"

// highestID bounds the ids that are counted on; a folder beyond it is not ours.
const highestID = 1 << 30

// store is the folder that all programs of a session share.
type store struct {
	dir  string
	warn func(error)
	here place

	mu     sync.Mutex
	warned map[string]bool
	over   map[int]bool        // tasks that were seen ended or lost, which they stay
	exits  map[int]*exitRecord // as read; they never change
	vacant map[int]bool        // lost tasks of which nothing runs any more
}

// openStore makes the folder, or checks that it is safe to use.
func openStore(dir string, warn func(error)) (*store, error) {
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return nil, fmt.Errorf("create the store: %w", err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return nil, fmt.Errorf("look at the store: %w", err)
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(stat.Uid) != os.Geteuid() || info.Mode().Perm()&0o022 != 0 {
		return nil, fmt.Errorf("the store %s must belong to this user and be writable for nobody else: it has mode %v", dir, info.Mode().Perm())
	}
	return &store{dir: dir, warn: warn, here: thisPlace(), warned: map[string]bool{}, over: map[int]bool{}, exits: map[int]*exitRecord{}, vacant: map[int]bool{}}, nil
}

// complain warns of something in the store, once.
func (s *store) complain(err error) {
	s.mu.Lock()
	known := s.warned[err.Error()]
	s.warned[err.Error()] = true
	s.mu.Unlock()
	if !known {
		s.warn(fmt.Errorf("supervised: %w", err))
	}
}

func (s *store) taskDir(n int) string { return filepath.Join(s.dir, execctx.TaskID(n)) }

// lock keeps other programs, and other goroutines, from changing the store. It is
// held for moments only; what is tried again is the exception.
func (s *store) lock(ctx context.Context) (unlock func(), err error) {
	file, err := openOwn(filepath.Join(s.dir, storeLock), os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	for pause := time.Duration(0); ; pause = backOff(pause) {
		got, err := tryLock(file, syscall.LOCK_EX)
		if got {
			return func() { file.Close() }, nil
		}
		if err == nil && !sleep(ctx, pause) {
			err = context.Cause(ctx)
		}
		if err != nil {
			file.Close()
			return nil, err
		}
	}
}

// sleep tells whether ctx still holds after d.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// numbers gives the numbers of the tasks there are folders for, in order. Links
// are none.
func (s *store) numbers() ([]int, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, fmt.Errorf("read the store: %w", err)
	}
	var all []int
	for _, entry := range entries {
		n, err := execctx.ParseTaskID(entry.Name())
		switch {
		case err != nil || n >= highestID: // a log, or not ours
		case !entry.IsDir():
			s.complain(fmt.Errorf("%s has the name of a task and is no folder", filepath.Join(s.dir, entry.Name())))
		default:
			all = append(all, n)
		}
	}
	slices.Sort(all)
	return all, nil
}

// load reads one task; nil when there is none of that number, or not yet. What
// cannot be read is complained of.
func (s *store) load(n int) *task {
	t := &task{n: n, dir: s.taskDir(n)}
	if info, err := os.Lstat(t.dir); err != nil || !info.IsDir() {
		return nil
	}
	if s.loadExit(t) || s.loadLaunch(t) {
		s.loadOwner(t)
		return t
	}
	return nil
}

// loadExit tells whether the task has ended.
func (s *store) loadExit(t *task) bool {
	s.mu.Lock()
	exit := s.exits[t.n]
	s.mu.Unlock()
	if exit == nil {
		exit = new(exitRecord)
		if !s.read(t, fileExit, exit) || exit.TaskID != execctx.TaskID(t.n) {
			return false
		}
		s.mu.Lock()
		s.exits[t.n] = exit
		s.mu.Unlock()
	}
	t.exit, t.launchRecord, t.bytes = exit, exit.launchRecord, exit.BytesWritten
	return true
}

// loadLaunch tells whether the task runs, or was lost. One that is only being
// started is none yet.
func (s *store) loadLaunch(t *task) bool {
	if !s.read(t, fileLaunch, &t.launchRecord) || t.TaskID != execctx.TaskID(t.n) {
		return false
	}
	alive, err := held(filepath.Join(t.dir, fileLock))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		// Not to know is not to be dead.
		s.complain(fmt.Errorf("ask whether %s runs: %w", t.TaskID, err))
		alive = true
	}
	if !alive {
		// Between the two looks it may have ended properly, or have been removed.
		if s.loadExit(t) {
			return true
		}
		if !s.read(t, fileLaunch, &t.launchRecord) {
			return false
		}
		t.lost = true
	}
	t.bytes = s.produced(t)
	return t.lost || t.Process.PID != 0
}

// read reads a record of a task and tells whether it did.
func (s *store) read(t *task, name string, v any) bool {
	err := readRecord(filepath.Join(t.dir, name), v)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.complain(err)
	}
	return err == nil
}

func (s *store) loadOwner(t *task) {
	t.handle = t.HandleID
	var owner ownerRecord
	if s.read(t, fileOwner, &owner) {
		t.handle = owner.HandleID
		if owner.Forgotten {
			t.handle = ""
		}
	}
}

// produced is how much output there was until now, dropped bytes included.
func (s *store) produced(t *task) int64 {
	var count int64
	if file, err := openOwn(filepath.Join(t.dir, fileLock), os.O_RDONLY); err == nil {
		var raw [8]byte
		if _, err := file.ReadAt(raw[:], 0); err == nil {
			count = int64(binary.LittleEndian.Uint64(raw[:]))
		}
		file.Close()
	}
	return count
}

// tasks gives the tasks of a handle, in the order of their ids.
func (s *store) tasks(handle string) ([]*task, error) {
	numbers, err := s.numbers()
	if err != nil || handle == "" {
		return nil, err
	}
	var all []*task
	for _, n := range numbers {
		if t := s.load(n); t != nil && t.handle == handle {
			all = append(all, t)
		}
	}
	return all, nil
}

// find gives a task of a handle, or nil. An id that is not of our form has no
// task (EX-34).
func (s *store) find(handle, taskID string) *task {
	n, err := execctx.ParseTaskID(taskID)
	if err != nil || n >= highestID || handle == "" {
		return nil
	}
	if t := s.load(n); t != nil && t.handle == handle {
		return t
	}
	return nil
}

// own writes whose a task is from now on. The store's lock is held.
func (s *store) own(t *task, owner ownerRecord) error {
	return writeRecord(filepath.Join(t.dir, fileOwner), owner, true)
}
