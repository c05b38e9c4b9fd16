package decisionlog

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// tryLock takes the log's lock, or returns errLocked at once. It is one byte far
// behind the end of the file: locks of Windows are mandatory, and a range with data
// in it would keep readers out. Closing the file gives it back.
func tryLock(f *os.File) error {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY,
		0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
	switch {
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		return errLocked
	case errors.Is(err, windows.ERROR_INVALID_FUNCTION), errors.Is(err, windows.ERROR_NOT_SUPPORTED):
		// A file system without locks: append mode alone has to keep lines apart.
		return nil
	}
	return err
}
