//go:build unix && !linux

package proc

import "syscall"

// tie: the system knows no such signal.
func tie(*syscall.SysProcAttr) {}
