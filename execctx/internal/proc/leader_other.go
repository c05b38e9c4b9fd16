//go:build unix && !linux

package proc

import "syscall"

// leader waits for a process, and reaps it by that.
type leader struct{}

func (l *leader) ask(*syscall.SysProcAttr) {}

func (l *leader) forget() {}

func (l *leader) wait(pid int) (code int, sig syscall.Signal, known bool) {
	var status syscall.WaitStatus
	for {
		_, err := syscall.Wait4(pid, &status, 0, nil)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return -1, 0, false
		}
		if status.Signaled() {
			return 128 + int(status.Signal()), status.Signal(), true
		}
		return status.ExitStatus(), 0, true
	}
}

func (l *leader) reap(int) {}
