package proc

import (
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// leader waits for a process through a descriptor of it, in the poller: no
// thread waits. Where the kernel gives none, a thread does.
type leader struct {
	fd int
}

func (l *leader) ask(sys *syscall.SysProcAttr) {
	l.fd = -1
	sys.PidFD = &l.fd
}

func (l *leader) forget() {
	if l.fd >= 0 {
		syscall.Close(l.fd)
		l.fd = -1
	}
}

// wait returns when the process has ended. It does not reap it: until reap, its
// number, and that of its group, are nobody else's. The end is not known when
// another part of the program has waited for all children there are.
func (l *leader) wait(pid int) (code int, sig syscall.Signal, known bool) {
	var info unix.Siginfo
	if !l.poll(&info) {
		for unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
		}
	}
	if info.Signo == 0 {
		return -1, 0, false
	}
	code, sig = outcome(&info)
	return code, sig, true
}

func (l *leader) poll(info *unix.Siginfo) bool {
	if l.fd < 0 || unix.SetNonblock(l.fd, true) != nil {
		return false
	}
	file := os.NewFile(uintptr(l.fd), "pidfd")
	l.fd = -1
	defer file.Close()
	conn, err := file.SyscallConn()
	if err != nil {
		return false
	}
	var failed error
	err = conn.Read(func(fd uintptr) bool {
		for {
			failed = unix.Waitid(unix.P_PIDFD, int(fd), info, unix.WEXITED|unix.WNOWAIT|unix.WNOHANG, nil)
			if failed != unix.EINTR {
				return failed != nil && failed != unix.EAGAIN || info.Signo != 0
			}
		}
	})
	return err == nil && failed == nil && info.Signo != 0
}

func (l *leader) reap(pid int) { reap(pid) }

// outcome reads the end of a child. The unix package leaves the part of siginfo
// that says it without names: three numbers, the last of which is the status,
// behind a header of three more that is padded where pointers are wide.
func outcome(info *unix.Siginfo) (code int, sig syscall.Signal) {
	header := unsafe.Sizeof(info.Signo) * 3
	if unsafe.Sizeof(uintptr(0)) == 8 {
		header += 4
	}
	status := int(*(*int32)(unsafe.Add(unsafe.Pointer(info), header+8)))
	const exited = 1 // CLD_EXITED; others are signals
	if info.Code == exited {
		return status, 0
	}
	return 128 + status, syscall.Signal(status)
}
