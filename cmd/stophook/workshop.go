package main

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/stophook/stophook/internal/term"
)

// workshopProgram is the program that holds the commands for policy authors. It
// links OPA's tester and much else that would cost every hook a millisecond, so it
// is a program of its own, installed beside this one.
const workshopProgram = "stophook-workshop"

// workshopCommands are the commands that it has.
func workshopCommands() []string {
	return []string{"policy", "check", "fmt", "test", "replay", "diff", "report"}
}

// workshopCommand tells whether a call is for the workshop: one of its commands,
// or help for one.
func workshopCommand(args []string) (string, bool) {
	if len(args) > 2 && args[1] == "help" {
		args = args[1:]
	}
	if len(args) > 1 && slices.Contains(workshopCommands(), args[1]) {
		return args[1], true
	}
	return "", false
}

// workshop hands the call over to the workshop and gives its exit code.
func (p *program) workshop(name string, args []string) int {
	path, err := p.findWorkshop()
	if err != nil {
		fmt.Fprintf(p.stderr, "stophook: %s is a command of the program %s, which is not installed beside this one: "+
			"`make build` makes both into bin/, `go install github.com/stophook/stophook/cmd/...@latest` installs both (%s)\n",
			name, workshopProgram, term.Visible(err.Error()))
		return 1
	}
	code, err := p.replace(path, args[1:])
	if err != nil {
		fmt.Fprintf(p.stderr, "stophook: %s: %s\n", path, term.Visible(err.Error()))
		return 1
	}
	return code
}

// findWorkshop looks beside this program, links followed and not, and then on PATH.
func (p *program) findWorkshop() (string, error) {
	exe, err := p.executable()
	if err != nil {
		return p.lookPath(workshopProgram)
	}
	dirs := []string{filepath.Dir(exe)}
	if real, err := filepath.EvalSymlinks(exe); err == nil {
		dirs = append(dirs, filepath.Dir(real))
	}
	for _, dir := range dirs {
		if path, err := exec.LookPath(filepath.Join(dir, workshopProgram)); err == nil {
			return path, nil
		}
	}
	path, err := p.lookPath(workshopProgram)
	if errors.Is(err, exec.ErrDot) {
		return path, fmt.Errorf("%s in the current folder is not run", workshopProgram)
	}
	return path, err
}
