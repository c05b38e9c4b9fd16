// The hook starts on every turn and lives for milliseconds: reading the
// container's CPU limit at start would cost more than it could ever win.
//
//go:debug containermaxprocs=0

// Command stophook is a Stop hook for coding agents: it reads the session's
// transcript, asks Rego policies whether the turn may end, and answers the host.
//
// The host calls `stophook hook` with a JSON payload on stdin. Everything else
// is for people and for the agent: see `stophook help`.
package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/sirupsen/logrus"
	"github.com/urfave/cli/v2"

	"github.com/stophook/stophook/internal/command"
	"github.com/stophook/stophook/internal/term"
)

// version is set by the linker (-X main.version=…).
var version = "dev"

// program is one run with everything that comes from outside, so that tests can
// set it.
type program struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	now            func() time.Time
	executable     func() (string, error)
	lookPath       func(string) (string, error)
	workdir        func() (string, error)
	replace        func(path string, args []string) (int, error) // runs another program in our place
	interrupted    func() (context.Context, func())
	ticking        func(time.Duration) (<-chan time.Time, func())
	home           string
	args           []string // set by run
	log            *logrus.Logger
}

func main() {
	home, _ := os.UserHomeDir()
	p := &program{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, now: time.Now,
		executable: os.Executable, lookPath: exec.LookPath, workdir: os.Getwd,
		replace: replaceProcess, interrupted: command.Interrupted, ticking: ticking, home: home}
	os.Exit(p.run(os.Args))
}

func (p *program) run(args []string) int {
	p.log, p.args = command.Logger("stophook", p.stderr), args
	if name, ok := workshopCommand(args); ok {
		return p.workshop(name, args)
	}
	return command.Run(p.app(), args, p.stderr)
}

func (p *program) app() *cli.App {
	return command.App("stophook", "a Stop hook for coding agents that decides with Rego policies", version, appHelp, p.stdout, p.stderr,
		[]*cli.Command{p.hookCommand(), p.scanCommand(), p.explainCommand(), p.statusCommand(),
			p.taskCommand(), p.nameCommand(), p.installCommand(), p.uninstallCommand(), p.initCommand(), p.logCommand(), p.sessionsCommand(), p.doctorCommand(),
			p.schemaCommand(), p.versionCommand()})
}

// style colours what goes to stdout.
func (p *program) style() term.Style { return term.For(p.stdout, p.getenv) }

func (p *program) printJSON(v any) error { return command.PrintJSON(p.stdout, v) }
