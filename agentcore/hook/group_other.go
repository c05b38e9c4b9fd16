//go:build !unix && !windows

package hook

import "os/exec"

// ownGroup has nothing to add where there are no groups: the hook itself is ended.
func ownGroup(*exec.Cmd) {}

const (
	defaultShell = "sh"
	powershell   = "pwsh"
)
