//go:build unix

package supervised

import (
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// inherited takes over a descriptor that this process was started with, and that
// the command must not get; nil when there is none of that number.
func inherited(fd int, name string) *os.File {
	if !wasInherited(fd) {
		return nil
	}
	syscall.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), name)
}

// wasInherited: what this program opens itself closes on exec, which what it was
// started with cannot.
func wasInherited(fd int) bool {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	return err == nil && flags&unix.FD_CLOEXEC == 0
}

// closeStrangers closes what the program that launched the task had itself
// inherited and knew nothing of, such as a lock or a pipe of a script around it:
// the task outlives that script, and must not hold it up.
func closeStrangers() {
	dir, err := os.Open("/dev/fd")
	if err != nil {
		return
	}
	names, _ := dir.Readdirnames(-1)
	dir.Close()
	for _, name := range names {
		if fd, err := strconv.Atoi(name); err == nil && fd > fdReport && wasInherited(fd) {
			syscall.Close(fd)
		}
	}
}
