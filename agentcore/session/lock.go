package session

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/stophook/stophook/internal/filelock"
)

const (
	lockName  = "lock"
	lockTries = 5
	lockPause = 2 * time.Millisecond
)

// lock is a held lock of a session: a file that says whose it is, under a lock
// of the system that ends with its holder, however that ends.
type lock struct {
	f *os.File
}

// takeLock takes the lock of the session in dir, or returns a [*LockedError].
func takeLock(dir, id string) (*lock, error) {
	path := filepath.Join(dir, lockName)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, &NotFoundError{ID: id}
		}
		return nil, fmt.Errorf("session: open lock: %w", err)
	}
	got, err := filelock.TryLock(f)
	for try := 1; err == nil && !got && try < lockTries; try++ {
		time.Sleep(lockPause) // a list may be looking whether the lock is held
		got, err = filelock.TryLock(f)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("session: lock %s: %w", path, err)
	}
	if !got {
		pid := holder(f)
		f.Close()
		return nil, &LockedError{ID: id, PID: pid, Path: path}
	}
	// The session may have been deleted between opening and locking; then the lock
	// is one of a file that nobody else sees.
	held, err := f.Stat()
	if err == nil {
		var now fs.FileInfo
		if now, err = os.Stat(path); err == nil && !os.SameFile(held, now) {
			err = fs.ErrNotExist
		}
	}
	if err != nil {
		filelock.Unlock(f)
		f.Close()
		if errors.Is(err, fs.ErrNotExist) {
			return nil, &NotFoundError{ID: id}
		}
		return nil, fmt.Errorf("session: look at lock: %w", err)
	}
	l := &lock{f: f}
	l.sign()
	return l, nil
}

// sign writes down whose the lock is. That only helps people, so a full disk is
// no reason to refuse.
func (l *lock) sign() {
	if l.f.Truncate(0) == nil {
		l.f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
}

// release is explicit, because a child between fork and exec shares the file and
// would keep a lock that only closing ends.
func (l *lock) release() {
	if l == nil || l.f == nil {
		return
	}
	l.f.Truncate(0)
	filelock.Unlock(l.f)
	l.f.Close()
	l.f = nil
}

// holder reads the process id out of a lock file; 0 when it says none.
func holder(f *os.File) int {
	text, err := io.ReadAll(io.NewSectionReader(f, 0, 32))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid < 0 {
		return 0
	}
	return pid
}

// inUse tells whether somebody holds the session's lock, without making the
// file. An empty one is settled without touching the lock.
func inUse(dir string) bool {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() == 0 {
		return false
	}
	got, err := filelock.TryLock(f)
	if got {
		filelock.Unlock(f)
	}
	return err == nil && !got
}
