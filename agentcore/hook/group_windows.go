//go:build windows

package hook

import (
	"os/exec"
	"strconv"
)

// ownGroup ends a hook together with what it started. Windows has no groups that
// outlive their leader, so the tree is walked, from the leader down.
func ownGroup(cmd *exec.Cmd) {
	cmd.Cancel = func() error {
		err := exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run()
		if err != nil {
			return cmd.Process.Kill()
		}
		return nil
	}
}

const (
	defaultShell = "bash"
	powershell   = "powershell"
)
