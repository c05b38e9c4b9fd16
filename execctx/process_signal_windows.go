package execctx

import (
	"fmt"
	"syscall"
)

// signalName: no process is started here that a signal could end.
func signalName(sig syscall.Signal) string { return fmt.Sprintf("SIG%d", int(sig)) }
