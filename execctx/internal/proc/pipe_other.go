//go:build unix && !linux

package proc

import (
	"os"
	"syscall"
)

// pipe gives a reading end for the poller and a writing end for the child. There
// is no call that makes both close on exec at once, so starts of others are kept
// out.
func pipe() (reading, writing int, err error) {
	var fds [2]int
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := syscall.Pipe(fds[:]); err != nil {
		return 0, 0, os.NewSyscallError("pipe", err)
	}
	syscall.CloseOnExec(fds[0])
	syscall.CloseOnExec(fds[1])
	if err := syscall.SetNonblock(fds[0], true); err != nil {
		syscall.Close(fds[0])
		syscall.Close(fds[1])
		return 0, 0, os.NewSyscallError("fcntl", err)
	}
	return fds[0], fds[1], nil
}
