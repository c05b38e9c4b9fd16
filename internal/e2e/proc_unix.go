//go:build unix

package e2e

import (
	"os/exec"
	"syscall"
)

// ownGroup gives the process a group, so that it can be ended with its children.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// mkfifo makes a named pipe.
func mkfifo(path string) error { return syscall.Mkfifo(path, 0o600) }

// openFIFO opens a pipe for writing without waiting; it fails while nobody reads.
const openFIFO = syscall.O_WRONLY | syscall.O_NONBLOCK
