//go:build !unix

package main

import (
	"errors"
	"os"
	"os/exec"
)

// replaceProcess runs another program and gives its exit code.
func replaceProcess(path string, args []string) (int, error) {
	cmd := exec.Command(path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}
