package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/stophook/stophook/internal/command"
	"github.com/stophook/stophook/internal/term"
	"github.com/stophook/stophook/policy/check"
)

func (p *program) fmtCommand() *cli.Command {
	return &cli.Command{
		Name: "fmt", Usage: "format policies",
		UsageText: `stophook fmt [flags] [PATH]...

  stophook fmt -w
  stophook fmt --check --diff .stophook/policies
  stophook fmt --rego-v1 -w old.rego`,
		Description: `Formats .rego files as OPA does. A PATH is a file, a folder with all below it, or
- for stdin; by default the project's .stophook/policies. Without flags the text
of one file is printed. A file that does not parse is told and left as it is.
Exit code 0: all is well. 1: a file does not parse, or with --check is not
formatted. 2: nothing could be done.`,
		Flags: []cli.Flag{
			command.Switch("write", "write the files, each in one step", "w"),
			command.Switch("check", "list files that are not formatted, and exit with 1 when there are any", "l"),
			command.Switch("diff", "show what would change", "d"),
			command.Switch("rego-v1", "migrate files in Rego v0 to v1, too"),
		},
		OnUsageError: func(_ *cli.Context, err error, _ bool) error { return command.Exit(notRun, "%w", err) },
		Action:       p.fmt,
	}
}

func (p *program) fmt(c *cli.Context) error {
	paths := c.Args().Slice()
	plain := !c.Bool("write") && !c.Bool("check") && !c.Bool("diff")
	if slices.Contains(paths, "-") {
		if len(paths) > 1 || c.Bool("write") {
			return command.Exit(notRun, "- is stdin: it goes alone and without -w")
		}
		return p.fmtStdin(c)
	}
	if c.Bool("write") && c.Bool("check") {
		return command.Exit(notRun, "--write and --check exclude each other: --check changes nothing")
	}
	if len(paths) == 0 {
		paths = []string{p.projectPolicies()}
	}
	files, err := check.FormatFiles(paths, c.Bool("rego-v1"))
	if err != nil {
		return command.Exit(notRun, "%w", err)
	}
	if plain && len(files) != 1 {
		return command.Exit(notRun, "%d files: name one to print it, or use -w to write them, --check to list those that are not formatted, --diff to see what would change", len(files))
	}
	failed := false
	for i := range files {
		ok, err := p.fmtFile(c, &files[i], plain)
		if err != nil {
			return err
		}
		failed = failed || !ok
	}
	if failed {
		return &command.ExitError{Code: 1, Err: errors.New("")}
	}
	return nil
}

// fmtFile handles one file; ok is false when the exit code has to tell of it.
func (p *program) fmtFile(c *cli.Context, f *check.Formatted, plain bool) (ok bool, err error) {
	if f.Err != nil {
		fmt.Fprintf(p.stderr, "stophook: %s\n", term.Visible(f.Err.Error()))
		return false, nil
	}
	if plain {
		_, err = p.stdout.Write(f.After)
		return true, err
	}
	if !f.Changed() {
		return true, nil
	}
	switch {
	case c.Bool("diff"):
		err = p.printDiff(check.Diff(f.Path, f.Before, f.After))
	default:
		_, err = fmt.Fprintln(p.stdout, term.Visible(f.Path))
	}
	if err == nil && c.Bool("write") {
		if err := f.Write(); err != nil {
			fmt.Fprintf(p.stderr, "stophook: %s\n", term.Visible(err.Error()))
			return false, nil
		}
	}
	return !c.Bool("check"), err
}

func (p *program) fmtStdin(c *cli.Context) error {
	src, err := io.ReadAll(p.stdin)
	if err != nil {
		return command.Exit(notRun, "stdin: %w", err)
	}
	f := check.Formatted{Path: "stdin", Before: src}
	f.After, f.Err = check.Format("stdin", src, c.Bool("rego-v1"))
	ok, err := p.fmtFile(c, &f, !c.Bool("check") && !c.Bool("diff"))
	if err == nil && !ok {
		return &command.ExitError{Code: 1, Err: errors.New("")}
	}
	return err
}

// printDiff colours a diff where a terminal wants it.
func (p *program) printDiff(diff string) error {
	s := p.style()
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimSuffix(diff, "\n"), "\n") {
		// A carriage return would make one line overwrite another.
		line = term.Visible(strings.ReplaceAll(strings.ReplaceAll(line, "\r", "^M"), "\t", "    "))
		switch {
		case strings.HasPrefix(line, "@@"):
			line = s.Paint("36", line)
		case strings.HasPrefix(line, "-"):
			line = s.Paint("31", line)
		case strings.HasPrefix(line, "+"):
			line = s.Paint("32", line)
		}
		b.WriteString(line + "\n")
	}
	_, err := io.WriteString(p.stdout, b.String())
	return err
}
