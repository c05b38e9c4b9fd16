//go:build unix

package supervised

import (
	"fmt"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/stophook/stophook/execctx/internal/proc"
)

// signalName is as in SIGTERM. Real-time signals have numbers only.
func signalName(sig syscall.Signal) string {
	if name := unix.SignalName(sig); name != "" {
		return name
	}
	return fmt.Sprintf("SIG%d", int(sig))
}

// endWarnings says what a command left behind, and what of its output may be
// missing for that (EX-51).
func endWarnings(end proc.End) []string {
	var warnings []string
	if end.Lost {
		warnings = append(warnings, "the exit code is lost: somebody else waited for the process")
	}
	if end.Escaped {
		who := "a process"
		if len(end.Holders) > 0 {
			who = pids(end.Holders)
		}
		warnings = append(warnings, who+" left the process group, as a daemon does, and still held the output: "+
			"it was not ended, and what it writes later is not kept")
	}
	if len(end.Survivors) > 0 {
		warnings = append(warnings, pids(end.Survivors)+" of the process group still ran when the command was over: "+
			"ended at the latest when the handle is destroyed")
	}
	return warnings
}

// pids lists processes in words.
func pids(list []int) string {
	if len(list) == 1 {
		return fmt.Sprintf("process %d", list[0])
	}
	return "processes " + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(list)), ", "), "[]")
}
