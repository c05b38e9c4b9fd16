//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// maxRSS reads the peak resident memory of an ended process, in bytes. Linux
// and the BSDs count in kB, Darwin in bytes.
func maxRSS(state *os.ProcessState) (int64, bool) {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, false
	}
	peak := int64(usage.Maxrss)
	if runtime.GOOS != "darwin" {
		peak *= 1024
	}
	return peak, true
}
