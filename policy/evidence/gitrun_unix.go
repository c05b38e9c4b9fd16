//go:build unix

package evidence

import (
	"os/exec"
	"syscall"
)

// killGroup gives git a process group of its own and kills all of it, because
// git starts helpers that would live on and hold the output pipe.
func killGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
