package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockRange is one byte far behind the end of every file. Locks of Windows are
// mandatory: a range with data in it would also keep readers out.
func lockRange() *windows.Overlapped { return &windows.Overlapped{OffsetHigh: 1 << 30} }

// TryLock takes the lock of f, or reports that somebody else has it. It never waits.
func TryLock(f *os.File) (bool, error) {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, lockRange())
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}

// Unlock gives the lock back: what a closed handle had locked is free only when the
// system gets to it.
func Unlock(f *os.File) {
	windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, lockRange())
}
