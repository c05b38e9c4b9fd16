//go:build !unix

package e2e

import (
	"errors"
	"os"
	"os/exec"
)

func ownGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) { cmd.Process.Kill() }

func mkfifo(string) error { return errors.New("this system has no named pipes") }

const openFIFO = os.O_WRONLY
