package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

// pipe gives a reading end for the poller and a writing end for the child. Both
// close on exec, so that children started at the same time do not hold each
// other's output open.
func pipe() (reading, writing int, err error) {
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return 0, 0, os.NewSyscallError("pipe2", err)
	}
	if err := unix.SetNonblock(fds[0], true); err != nil {
		unix.Close(fds[0])
		unix.Close(fds[1])
		return 0, 0, os.NewSyscallError("fcntl", err)
	}
	return fds[0], fds[1], nil
}
