package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/stophook/stophook/internal/command"
	"github.com/stophook/stophook/internal/term"
	"github.com/stophook/stophook/policy/replay"
)

func (p *program) diffCommand() *cli.Command {
	return &cli.Command{
		Name: "diff", Usage: "where two policies differ in recorded sessions",
		UsageText: `stophook diff --base DIR --head DIR [flags] [PATH]...

  stophook diff --base shipped --head .stophook ~/.claude/projects/-home-me-app
  stophook diff --base main/.stophook --head .stophook --fail-on new-blocks sessions/`,
		Description: `Replays the sessions below each PATH (by default all of Claude Code's) under both
policies and shows only the stops whose answer differs, with both reasons.
DIR is a folder of rules, with its config.yaml when there is one, or a whole
.stophook folder; "shipped" is the built-in rules alone. Policies and settings of
this machine do not count, so that CI gives the same answer as your desk.
Exit code 0: done. 1: changes that --fail-on names. 2: it could not be run.`,
		OnUsageError: func(_ *cli.Context, err error, _ bool) error { return command.Exit(notRun, "%w", err) },
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "base", Usage: "the policy as it is: `DIR` or shipped", Value: shippedPolicy},
			&cli.StringFlag{Name: "head", Usage: "the policy as it would be: `DIR` or shipped"},
			&cli.StringFlag{Name: "base-config", Usage: "settings of the base, instead of those in its folder: `FILE`"},
			&cli.StringFlag{Name: "head-config", Usage: "settings of the head, instead of those in its folder: `FILE`"},
			&cli.StringFlag{Name: "fail-on", Usage: "exit 1 when there are changes of these `KINDS`, with commas: " + strings.Join(failKinds(), ", ")},
			stateDirFlag(),
			&cli.StringFlag{Name: "since", Usage: "only stops since `TIME`: a day, an instant, or how long ago (36h, 14d)"},
			formatFlag("text", "json", "junit", "sarif"),
			command.Switch("json", "the same as --format json"),
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE` instead of stdout"},
			&cli.IntFlag{Name: "workers", Usage: "judge `N` sessions at a time (default one for each processor)", DefaultText: " "},
		},
		Action: p.diff,
	}
}

// failKinds are what --fail-on takes: the kinds of changes as people write them,
// and all of them.
func failKinds() []string {
	list := []string{}
	for _, k := range replay.Kinds() {
		list = append(list, flagOf(k))
	}
	return append(list, "any")
}

// flagOf is a kind as a word of the command line: new_block is new-blocks.
func flagOf(k replay.Kind) string { return strings.ReplaceAll(string(k), "_", "-") + "s" }

// failOn reads --fail-on.
func failOn(text string) ([]replay.Kind, error) {
	var kinds []replay.Kind
	for _, word := range strings.Split(text, ",") {
		switch word = strings.TrimSpace(word); {
		case word == "":
			continue
		case word == "any":
			return replay.Kinds(), nil
		}
		i := slices.IndexFunc(replay.Kinds(), func(k replay.Kind) bool { return flagOf(k) == word })
		if i < 0 {
			return nil, fmt.Errorf("--fail-on %q: there are %s", word, strings.Join(failKinds(), ", "))
		}
		kinds = append(kinds, replay.Kinds()[i])
	}
	if text != "" && len(kinds) == 0 {
		return nil, fmt.Errorf("--fail-on %q names nothing: there are %s", text, strings.Join(failKinds(), ", "))
	}
	return kinds, nil
}

// comparison is a diff that is ready to be shown.
type comparison struct {
	*replay.Comparison
	base, head string // names of the sides
	fatal      []replay.Kind
}

// failed are the changes that --fail-on is about.
func (d *comparison) failed() (n int) {
	for _, k := range d.fatal {
		n += d.Counts.Kinds[k]
	}
	return n
}

func (p *program) diff(c *cli.Context) error {
	as, err := format(c, "text", "json", "junit", "sarif")
	if err != nil {
		return command.Exit(notRun, "%w", err)
	}
	d, err := p.compare(c)
	if err != nil {
		return told(err, notRun)
	}
	err = p.write(c.String("output"), func(w io.Writer) error {
		switch as {
		case "json":
			return command.PrintJSON(w, d.Comparison)
		case "junit":
			return d.junit(w)
		case "sarif":
			return d.sarif(w)
		}
		r := replayText{style: p.styleOf(w, c.String("output")), home: p.home}
		return d.print(w, r)
	})
	if err != nil {
		return command.Exit(notRun, "%w", err)
	}
	if n := d.failed(); n > 0 {
		return command.Exit(1, "%s that --fail-on %s is about", term.Plural(n, "change"), c.String("fail-on"))
	}
	return nil
}

// compare reads both sides and runs the comparison.
func (p *program) compare(c *cli.Context) (*comparison, error) {
	if c.String("head") == "" {
		return nil, fmt.Errorf("diff needs --head DIR, the policy as it would be; --base is %q", c.String("base"))
	}
	fatal, err := failOn(c.String("fail-on"))
	if err != nil {
		return nil, err
	}
	base, err := p.side("base", c.String("base"), c.String("base-config"))
	if err != nil {
		return nil, err
	}
	head, err := p.side("head", c.String("head"), c.String("head-config"))
	if err != nil {
		return nil, err
	}
	paths, err := p.replayPaths(c)
	if err != nil {
		return nil, err
	}
	opts, err := p.replayRun(c, replay.Options{Layers: base.layers, Config: base.config})
	if err != nil {
		return nil, err
	}
	ctx, stop := command.Interrupted()
	defer stop()
	bar := term.NewProgress(p.stderr, "diff", p.getenv, p.now)
	opts.Progress = bar.Bytes
	result, err := replay.Diff(ctx, paths, opts, replay.Options{Layers: head.layers, Config: head.config})
	bar.Clear()
	if err != nil {
		return nil, err
	}
	return &comparison{Comparison: result, base: base.name, head: head.name, fatal: fatal}, nil
}
