package supervised

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// child is a supervisor that this program started. It is reaped when it ends:
// who waits for that waits in the poller, and no thread does.
type child struct {
	pid  int
	file *os.File // of the process; nil where the kernel gives none
}

func startChild(program string, args []string, attr *syscall.ProcAttr) (*child, error) {
	fd := -1
	attr.Sys.PidFD = &fd
	pid, _, err := syscall.StartProcess(program, args, attr)
	if err != nil {
		if fd >= 0 {
			syscall.Close(fd)
		}
		return nil, err
	}
	c := &child{pid: pid}
	if fd >= 0 && unix.SetNonblock(fd, true) == nil {
		c.file = os.NewFile(uintptr(fd), "pidfd")
	}
	return c, nil
}

// reap returns when the process has ended, or letGo was called.
func (c *child) reap() {
	if c.file == nil {
		c.wait()
		return
	}
	defer c.file.Close()
	conn, err := c.file.SyscallConn()
	if err != nil {
		return
	}
	_ = conn.Read(func(fd uintptr) bool {
		var info unix.Siginfo
		for {
			err := unix.Waitid(unix.P_PIDFD, int(fd), &info, unix.WEXITED|unix.WNOHANG, nil)
			if err != unix.EINTR {
				return err != nil || info.Signo != 0
			}
		}
	})
}

// letGo leaves the process to whoever reaps when this program has ended.
func (c *child) letGo() {
	if c.file != nil {
		c.file.Close()
	}
}
