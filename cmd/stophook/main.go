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
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/sirupsen/logrus"
	"github.com/urfave/cli/v2"
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
	home           string
	log            *logrus.Logger
}

func main() {
	home, _ := os.UserHomeDir()
	p := &program{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, now: time.Now,
		executable: os.Executable, lookPath: exec.LookPath, workdir: os.Getwd, home: home}
	os.Exit(p.run(os.Args))
}

// exitError ends the program with a code after its message was printed.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

func (p *program) run(args []string) int {
	p.log = logrus.New()
	p.log.SetOutput(p.stderr)
	p.log.SetFormatter(plainFormatter{})
	app := p.app()
	if err := app.Run(flagsFirst(app, args)); err != nil {
		fmt.Fprintf(p.stderr, "stophook: %s\n", visible(err.Error()))
		if e, ok := err.(*exitError); ok {
			return e.code
		}
		return 1
	}
	return 0
}

func (p *program) app() *cli.App {
	cli.AppHelpTemplate, cli.CommandHelpTemplate = appHelp, commandHelp
	return &cli.App{
		Name: "stophook", Usage: "a Stop hook for coding agents that decides with Rego policies",
		Version: version, HideVersion: true, Writer: p.stdout, ErrWriter: p.stderr,
		ExitErrHandler: func(*cli.Context, error) {},
		OnUsageError:   func(_ *cli.Context, err error, _ bool) error { return err },
		Action: func(c *cli.Context) error {
			if name := c.Args().First(); name != "" {
				return fmt.Errorf("there is no command %q; `stophook help` lists them", name)
			}
			return cli.ShowAppHelp(c)
		},
		Commands: []*cli.Command{p.hookCommand(), p.scanCommand(), p.explainCommand(), p.statusCommand(),
			p.taskCommand(), p.nameCommand(), p.schemaCommand(), p.versionCommand()},
	}
}

// plainFormatter writes "stophook: level: message", for people who read stderr.
type plainFormatter struct{}

func (plainFormatter) Format(e *logrus.Entry) ([]byte, error) {
	return fmt.Appendf(nil, "stophook: %s: %s\n", e.Level, visible(e.Message)), nil
}

// flagsFirst moves the flags of a command in front of its arguments, because
// people write `scan FILE --json` and the flag library stops at FILE.
func flagsFirst(app *cli.App, args []string) []string {
	if len(args) < 3 {
		return args
	}
	command := app.Command(args[1])
	if command == nil {
		return args
	}
	var flags, rest []string
	for i := 2; i < len(args); i++ {
		a := args[i]
		if a == "--" {
			rest = append(rest, args[i:]...)
			break
		}
		if len(a) < 2 || a[0] != '-' {
			rest = append(rest, a)
			continue
		}
		flags = append(flags, a)
		if name := strings.TrimLeft(a, "-"); !strings.Contains(name, "=") && takesValue(command, name) && i+1 < len(args) {
			i++
			flags = append(flags, args[i])
		}
	}
	return slices.Concat(args[:2], flags, rest)
}

func takesValue(command *cli.Command, name string) bool {
	for _, f := range command.Flags {
		if slices.Contains(f.Names(), name) {
			_, isSwitch := f.(*cli.BoolFlag)
			return !isSwitch
		}
	}
	return false
}
