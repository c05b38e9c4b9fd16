package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/stophook/stophook/internal/command"
	"github.com/stophook/stophook/internal/term"
	"github.com/stophook/stophook/policy"
	"github.com/stophook/stophook/policy/scaffold"
)

func (p *program) policyCommand() *cli.Command {
	return &cli.Command{
		Name: "policy", HideHelpCommand: true, Usage: "new rules, and the rules in force", UsageText: "stophook policy COMMAND [flags]",
		Description: "Example:\n  stophook policy new changelog && stophook test",
		Subcommands: []*cli.Command{p.policyNewCommand(), p.policyListCommand()},
		Action: func(c *cli.Context) error {
			if name := c.Args().First(); name != "" {
				return command.Exit(notRun, "there is no command `policy %s`; there are `policy new` and `policy list`", name)
			}
			return cli.ShowSubcommandHelp(c)
		},
	}
}

func (p *program) policyNewCommand() *cli.Command {
	return &cli.Command{
		Name: "new", Usage: "make the folder of a rule: METADATA, rule, test and two cases",
		UsageText: `stophook policy new NAME [flags]

  stophook policy new tests_ran --title "Tests ran" --code acme.tests_missing
  stophook policy new no_force_push --event PreToolUse`,
		Description: `The rule works as it is and is there to be edited. Nothing that exists is
overwritten. The first rule of a folder also gets schemas/input.json, the schema
that the METADATA name, for editors and for type checks.`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "dir", Usage: "folder of policies `DIR` (default: the project's .stophook/policies)"},
			&cli.StringFlag{Name: "title", Usage: "`TITLE` of the rule (default: its name in words)"},
			&cli.StringFlag{Name: "code", Usage: "`CODE` of its decisions (default project.NAME)"},
			&cli.StringFlag{Name: "event", Usage: "`EVENT` that it judges: Stop, PreToolUse", Value: "Stop"},
			command.Switch("deferral", "a deferral, with a rule that it puts off"),
			command.Switch("json", "tell what was made as JSON"),
		},
		OnUsageError: func(_ *cli.Context, err error, _ bool) error { return command.Exit(notRun, "%w", err) },
		Action:       p.policyNew,
	}
}

func (p *program) policyNew(c *cli.Context) error {
	if c.NArg() != 1 {
		return command.Exit(notRun, "`stophook policy new NAME` takes one name, such as tests_ran")
	}
	opts := scaffold.Options{Dir: c.String("dir"), Name: c.Args().First(), Title: c.String("title"), Code: c.String("code"),
		Event: c.String("event"), Deferral: c.Bool("deferral")}
	own := opts.Dir == ""
	if own {
		opts.Dir = p.projectPolicies()
	}
	made, err := scaffold.New(opts)
	switch {
	case errors.Is(err, scaffold.ErrExists):
		return command.Exit(1, "%w", err)
	case err != nil:
		return command.Exit(notRun, "%w", err)
	case c.Bool("json"):
		return p.printJSON(made)
	}
	s := p.style()
	var b strings.Builder
	b.WriteString(s.Good("made") + " " + made.Dir + "\n")
	for _, f := range made.Files {
		b.WriteString("  " + f + "\n")
	}
	dir := quoted(made.Dir)
	fmt.Fprintf(&b, "\nedit %s, then\n", quoted(filepath.Join(made.Dir, opts.Name+".rego")))
	fmt.Fprintf(&b, "  stophook test %s\n  stophook check %s\n", dir, dir)
	replay := "  stophook replay --since 7d"
	if !own {
		replay += " --policy " + quoted(opts.Dir)
	}
	b.WriteString(replay + "   " + s.Dim("# what it would have said in your sessions") + "\n")
	_, err = io.WriteString(p.stdout, b.String())
	return err
}

// quoted is a path as a shell takes it.
func quoted(path string) string {
	if strings.IndexFunc(path, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-", r))
	}) < 0 {
		return path
	}
	return "'" + strings.ReplaceAll(term.Visible(path), "'", `'\''`) + "'"
}

func (p *program) policyListCommand() *cli.Command {
	return &cli.Command{
		Name: "list", Usage: "the rules in force, with layer, severity, code and file",
		UsageText: `stophook policy list [flags]

  stophook policy list --policy ./rules`,
		Description: "Lists the rules and deferrals of all layers, with the severity that the\nconfiguration leaves them.",
		Flags:       append(policyFlags(), command.Switch("json", "as JSON")),
		Action:      p.policyList,
	}
}

// ruleLine is one rule of `policy list`.
type ruleLine struct {
	Name       string   `json:"name"`
	Kind       string   `json:"kind"` // rule or deferral
	Title      string   `json:"title"`
	Layer      string   `json:"layer"`
	Severity   string   `json:"severity"` // in force
	Own        string   `json:"own_severity"`
	Fail       string   `json:"fail"`
	Deferrable bool     `json:"deferrable"`
	Events     []string `json:"events"`
	Codes      []string `json:"codes"`
	File       string   `json:"file"`
	Line       int      `json:"line"`
}

func (p *program) policyList(c *cli.Context) error {
	project := p.project()
	layers, err := p.layers(c, project)
	if err != nil {
		return command.Exit(notRun, "%w", err)
	}
	config, err := p.config(c, project)
	if err != nil {
		return command.Exit(notRun, "%w", err)
	}
	engine, err := policy.NewEngine(context.Background(), policy.EngineOptions{Layers: layers})
	if err != nil {
		return command.Exit(notRun, "the policies do not load; `stophook check` tells all that is wrong:\n%w", err)
	}
	var list []ruleLine
	for _, m := range engine.Rules() {
		l := ruleLine{Name: m.Name, Kind: "rule", Title: m.Title, Layer: m.LayerName, Severity: m.Severity, Own: m.Severity, Fail: m.Fail,
			Deferrable: m.Deferrable, Events: m.Events, Codes: m.Codes, File: p.short(m.File), Line: m.Line}
		if m.Deferral {
			l.Kind = "deferral"
		}
		set := config.Rules[m.Name]
		if set.Severity != "" {
			l.Severity = set.Severity
		}
		if set.Fail != "" {
			l.Fail = set.Fail
		}
		list = append(list, l)
	}
	if c.Bool("json") {
		return p.printJSON(map[string]any{"schema": "stophook.rules/v1", "rules": list})
	}
	return p.printRules(list)
}

func (p *program) printRules(list []ruleLine) error {
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "RULE\tLAYER\tSEVERITY\tEVENTS\tCODE\tFILE")
	for _, l := range list {
		severity := l.Severity
		if l.Kind == "deferral" {
			severity = "deferral"
			if l.Severity == "off" || l.Severity == "observe" {
				severity = "deferral (off)"
			}
		}
		file := fmt.Sprintf("%s:%d", l.File, l.Line)
		if l.Layer == policy.LayerBuiltin {
			file = "-"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", term.Word(l.Name), term.Word(l.Layer), severity, strings.Join(l.Events, ","), term.OneLine(strings.Join(l.Codes, ","), 80), term.OneLine(file, 200))
	}
	return w.Flush()
}
