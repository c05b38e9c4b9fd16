// Package command holds what the programs of this repository share on the command
// line: help templates, flags that may stand behind arguments, exit codes, plain
// messages on stderr, JSON output.
//
// Start with [Run]. What a program does with its commands is its own business.
package command

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sirupsen/logrus"
	"github.com/urfave/cli/v2"

	"github.com/stophook/stophook/internal/term"
)

// Help is the template of a command's help text. It is written by hand: it shows
// what to type, and one example that can be pasted.
const Help = `{{.HelpName}} - {{.Usage}}

Usage:
  {{.UsageText}}
{{if .Description}}
{{.Description}}
{{end}}{{if .VisibleFlags}}
Flags:{{range .VisibleFlags}}
  {{.}}{{end}}
{{end}}`

// ExitError ends the program with a code after its message was printed. An empty
// message prints nothing: the output has said it.
type ExitError struct {
	Code int
	Err  error
}

func (e *ExitError) Error() string { return e.Err.Error() }
func (e *ExitError) Unwrap() error { return e.Err }

// Exit is an [ExitError] with a code and a message; without one nothing is printed.
func Exit(code int, format string, args ...any) error {
	return &ExitError{Code: code, Err: fmt.Errorf(format, args...)}
}

// App is a cli application with the manners of this repository: help goes to
// stdout, errors come back from [Run], and unknown commands are told. Its help
// template is help.
func App(name, usage, version, help string, stdout, stderr io.Writer, commands []*cli.Command) *cli.App {
	cli.AppHelpTemplate, cli.CommandHelpTemplate, cli.SubcommandHelpTemplate = help, Help, SubcommandHelp
	tellFlags(commands)
	return &cli.App{
		Name: name, Usage: usage, Version: version, HideVersion: true, Writer: stdout, ErrWriter: stderr,
		ExitErrHandler: func(*cli.Context, error) {},
		OnUsageError:   func(_ *cli.Context, err error, _ bool) error { return err },
		Action: func(c *cli.Context) error {
			if unknown := c.Args().First(); unknown != "" {
				return fmt.Errorf("there is no command %q; `%s help` lists them", unknown, name)
			}
			return cli.ShowAppHelp(c)
		},
		Commands: commands,
	}
}

// tellFlags makes a wrong flag an error with a hint. The library would print the whole
// help to stdout, where a program reads.
func tellFlags(commands []*cli.Command) {
	for _, c := range commands {
		if c.OnUsageError == nil {
			c.OnUsageError = func(c *cli.Context, err error, _ bool) error {
				return fmt.Errorf("%w; `%s --help` lists the flags", err, c.Command.HelpName)
			}
		}
		tellFlags(c.Subcommands)
	}
}

// SubcommandHelp is the template for a command that only has commands of its own.
const SubcommandHelp = `{{.HelpName}} - {{.Usage}}

Usage:
  {{.UsageText}}
{{if .Description}}
{{.Description}}
{{end}}
Commands:{{range .VisibleCommands}}
  {{printf "%-8s" .Name}} {{.Usage}}{{end}}
`

// Run runs the application and gives the exit code; a failure is told on stderr,
// after the application's name.
func Run(app *cli.App, args []string, stderr io.Writer) int {
	err := app.Run(FlagsFirst(app, args))
	if err == nil {
		return 0
	}
	if msg := err.Error(); msg != "" {
		fmt.Fprintf(stderr, "%s: %s\n", app.Name, term.Visible(msg))
	}
	if e, ok := err.(*ExitError); ok {
		return e.Code
	}
	return 1
}

// Logger writes "program: level: message" lines, for people who read stderr.
func Logger(program string, stderr io.Writer) *logrus.Logger {
	log := logrus.New()
	log.SetOutput(stderr)
	log.SetFormatter(plainFormatter{program})
	return log
}

type plainFormatter struct{ program string }

func (f plainFormatter) Format(e *logrus.Entry) ([]byte, error) {
	return fmt.Appendf(nil, "%s: %s: %s\n", f.program, e.Level, term.Visible(e.Message)), nil
}

// PrintJSON writes one document, indented, without HTML escapes.
func PrintJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// Switch is a flag that is on or off, whose help does not say that it is off by
// default.
func Switch(name, usage string, aliases ...string) cli.Flag {
	return &cli.BoolFlag{Name: name, Usage: usage, Aliases: aliases, DisableDefaultText: true}
}

// FlagsFirst moves the flags of a command in front of its arguments, because
// people write `scan FILE --json` and the flag library stops at FILE. A command
// of a command is looked up, too.
func FlagsFirst(app *cli.App, args []string) []string {
	if len(args) < 3 {
		return args
	}
	command, first := app.Command(args[1]), 2
	for command != nil && first < len(args) {
		sub := command.Command(args[first])
		if sub == nil {
			break
		}
		command, first = sub, first+1
	}
	if command == nil {
		return args
	}
	var flags, rest []string
	for i := first; i < len(args); i++ {
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
	return slices.Concat(args[:first], flags, rest)
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
