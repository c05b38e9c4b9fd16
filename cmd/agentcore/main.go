// Command agentcore runs the agent of package agentcore from the command line:
// one prompt, without anybody beside it, and again when background tasks wake it.
//
// It is a small host: it chooses the model, lends the tools the working directory,
// runs the hooks of a settings file, and writes what happens as text or as JSON.
// Sessions are kept, in the form in which `stophook scan` and `stophook report`
// read them.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/sirupsen/logrus"
	"github.com/urfave/cli/v2"

	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/execctx/supervised"
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
	environ        []string
	getenv         func(string) string
	now            func() time.Time
	workdir        func() (string, error)
	interrupted    func() (context.Context, func())
	home           string
	settings       *hook.Settings // set by configure
	wake           bool           // likewise
	log            *logrus.Logger
}

func main() {
	supervised.RunIfSupervisor()
	home, _ := os.UserHomeDir()
	p := &program{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, environ: os.Environ(), getenv: os.Getenv,
		now: time.Now, workdir: os.Getwd, interrupted: command.Interrupted, home: home}
	os.Exit(p.run(os.Args))
}

func (p *program) run(args []string) int {
	p.log = command.Logger("agentcore", p.stderr)
	code := command.Run(p.app(), args, p.stderr)
	return code
}

// app has one entry for each command; each command has a file of its own.
func (p *program) app() *cli.App {
	commands := []*cli.Command{p.runCommand(), p.resumeCommand(), p.sessionsCommand(), p.tasksCommand(), p.versionCommand()}
	for _, c := range commands {
		c.OnUsageError = func(c *cli.Context, err error, _ bool) error {
			return usage(fmt.Errorf("%w; `%s --help` lists the flags", err, c.Command.HelpName))
		}
	}
	return command.App("agentcore", "an agent that writes its own evidence", version, appHelp, p.stdout, p.stderr, commands)
}

// style colours what goes to stderr, where people read.
func (p *program) style() term.Style { return term.For(p.stderr, p.getenv) }

func (p *program) printJSON(v any) error { return command.PrintJSON(p.stdout, v) }

func (p *program) versionCommand() *cli.Command {
	return &cli.Command{Name: "version", Usage: "version", UsageText: "agentcore version", Action: func(*cli.Context) error {
		_, err := io.WriteString(p.stdout, version+"\n")
		return err
	}}
}

// usage marks a mistake of the caller, which has an exit code of its own.
func usage(err error) error {
	if err == nil {
		return nil
	}
	var exit *command.ExitError
	if errors.As(err, &exit) {
		return err
	}
	return &command.ExitError{Code: exitUsage, Err: err}
}
