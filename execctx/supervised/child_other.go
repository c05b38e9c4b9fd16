//go:build unix && !linux

package supervised

import "syscall"

// child is a supervisor that this program started. It is reaped when it ends.
type child struct {
	pid int
}

func startChild(program string, args []string, attr *syscall.ProcAttr) (*child, error) {
	pid, _, err := syscall.StartProcess(program, args, attr)
	if err != nil {
		return nil, err
	}
	return &child{pid: pid}, nil
}

// reap returns when the process has ended.
func (c *child) reap() { c.wait() }

// letGo cannot end a wait here: a context that is closed waits for its tasks.
func (c *child) letGo() {}
