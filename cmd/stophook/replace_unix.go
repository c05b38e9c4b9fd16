//go:build unix

package main

import (
	"os"
	"syscall"
)

// replaceProcess runs another program in the place of this one, so that signals
// and the exit code need no passing on. It returns only when that fails.
func replaceProcess(path string, args []string) (int, error) {
	return 1, syscall.Exec(path, append([]string{path}, args...), os.Environ())
}
