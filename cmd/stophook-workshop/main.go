// Command stophook-workshop is the part of stophook for people who write
// policies: new rules, checks, formatting, tests, replay over recorded sessions,
// the comparison of two policies, and reports.
//
// `stophook test` and the others run it; nobody has to call it by this name. It is
// a program of its own so that the hook, which starts at the end of every turn,
// carries none of its weight.
package main

import (
	"io"
	"os"
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
	workdir        func() (string, error)
	home           string
	log            *logrus.Logger
}

func main() {
	home, _ := os.UserHomeDir()
	p := &program{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, now: time.Now,
		workdir: os.Getwd, home: home}
	os.Exit(p.run(os.Args))
}

func (p *program) run(args []string) int {
	p.log = command.Logger("stophook", p.stderr)
	return command.Run(p.app(), args, p.stderr)
}

// app has one entry for each command; each command has a file of its own.
func (p *program) app() *cli.App {
	return command.App("stophook", "the workshop for policy authors", version, appHelp, p.stdout, p.stderr,
		[]*cli.Command{p.policyCommand(), p.checkCommand(), p.fmtCommand(), p.testCommand(), p.replayCommand(), p.diffCommand(), p.reportCommand(), p.versionCommand()})
}

// style colours what goes to stdout.
func (p *program) style() term.Style { return term.For(p.stdout, p.getenv) }

func (p *program) printJSON(v any) error { return command.PrintJSON(p.stdout, v) }

func (p *program) versionCommand() *cli.Command {
	return &cli.Command{Name: "version", Usage: "version", UsageText: "stophook version", Action: func(*cli.Context) error {
		_, err := io.WriteString(p.stdout, version+"\n")
		return err
	}}
}
