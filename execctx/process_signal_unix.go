//go:build unix

package execctx

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// signalName is as in SIGTERM. Real-time signals have numbers only.
func signalName(sig syscall.Signal) string {
	if name := unix.SignalName(sig); name != "" {
		return name
	}
	return fmt.Sprintf("SIG%d", int(sig))
}
