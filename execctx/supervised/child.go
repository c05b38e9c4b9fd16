//go:build unix

package supervised

import "syscall"

// wait reaps the process, and holds a thread until it has ended.
func (c *child) wait() {
	var status syscall.WaitStatus
	for {
		if _, err := syscall.Wait4(c.pid, &status, 0, nil); err != syscall.EINTR {
			return
		}
	}
}

// kill ends a process that was not reaped, so that its number is its own, and
// reaps it.
func (c *child) kill() {
	_ = syscall.Kill(c.pid, syscall.SIGKILL)
	c.wait()
	c.letGo()
}
