//go:build unix

package hook

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup starts a hook in a session of its own: it has no terminal, and the whole
// group can be ended at once.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error {
		// The leader is not reaped yet, so its number cannot be another's.
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil {
			return os.ErrProcessDone
		}
		return nil
	}
}

const (
	defaultShell = "/bin/sh"
	powershell   = "pwsh"
)
