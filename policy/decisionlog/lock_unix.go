//go:build unix

package decisionlog

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// tryLock takes the whole-file lock, or returns errLocked at once.
func tryLock(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EWOULDBLOCK):
			return errLocked
		case errors.Is(err, unix.ENOTSUP), errors.Is(err, unix.ENOLCK):
			// A file system without locks: append mode alone has to keep lines apart.
			return nil
		default:
			return err
		}
	}
}
