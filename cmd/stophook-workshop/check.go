package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/stophook/stophook/internal/command"
	"github.com/stophook/stophook/policy"
	"github.com/stophook/stophook/policy/check"
)

func (p *program) checkCommand() *cli.Command {
	return &cli.Command{
		Name: "check", Usage: "parse, type and METADATA errors, before a session meets them",
		UsageText: `stophook check [flags] [DIR]...

  stophook check
  stophook check --strict --format sarif .stophook/policies > check.sarif`,
		Description: `Looks at every policy and test below each DIR and tells all that is wrong, with
file, line and what to do. A DIR may be a folder of rules, the folder of one
rule, or one .rego file; several are layers, the first the highest. By default
the policy folders of the machine, the user and the project are checked, with
their configuration files.
Exit code 0: no error. 1: errors, or with --strict warnings. 2: nothing could
be checked.`,
		Flags: []cli.Flag{
			formatFlag("text", "json", "sarif", "junit"),
			command.Switch("json", "the same as --format json"),
			command.Switch("strict", "warnings fail, too"),
			command.Switch("builtin", "DIR holds the sources of the built-in rules, so their names are not taken"),
		},
		OnUsageError: func(_ *cli.Context, err error, _ bool) error { return command.Exit(notRun, "%w", err) },
		Action:       p.check,
	}
}

func (p *program) check(c *cli.Context) error {
	form, err := format(c, "text", "json", "sarif", "junit")
	if err != nil {
		return command.Exit(notRun, "%w", err)
	}
	opts := check.Options{Builtin: c.Bool("builtin")}
	targets, err := check.Targets(c.Args().Slice())
	if c.NArg() == 0 {
		targets, opts.Configs, err = p.defaultTargets()
	}
	if err != nil {
		return command.Exit(notRun, "%w", err)
	}
	report, err := check.Check(targets, opts)
	if err != nil {
		return command.Exit(notRun, "%w", err)
	}
	switch form {
	case "json":
		err = p.printJSON(report)
	case "sarif":
		err = report.WriteSARIF(p.stdout, version)
	case "junit":
		err = report.WriteJUnit(p.stdout, c.Bool("strict"))
	default:
		err = report.WriteText(p.stdout, p.style())
	}
	if err == nil && (report.Errors > 0 || c.Bool("strict") && report.Warnings > 0) {
		return &command.ExitError{Code: 1, Err: errors.New("")}
	}
	return err
}

// defaultTargets are the policy folders in force, and the configuration files of
// the machine, the user and the project.
func (p *program) defaultTargets() ([]check.Target, []policy.Source, error) {
	project := p.project()
	layers, err := policy.FindLayers(p.getenv, p.home, project, nil)
	if err != nil {
		return nil, nil, err
	}
	if len(layers) == 0 {
		return nil, nil, fmt.Errorf("there are no policies: neither in %s nor in the folders of the user and the machine; name a folder, or make a rule with `stophook policy new NAME`",
			p.short(filepath.Join(project, ".stophook", "policies")))
	}
	targets := make([]check.Target, len(layers))
	for i, l := range layers {
		targets[i] = check.FolderTarget(l.Name, p.short(l.Root))
		targets[i].Configs = nil
	}
	sources := policy.DefaultSources(p.getenv, p.home, project)
	for i := range sources {
		sources[i].Path = p.short(sources[i].Path)
	}
	return targets, sources, nil
}

// short is a path as a person would type it here.
func (p *program) short(path string) string {
	at, err := p.workdir()
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(at, path); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return path
}
