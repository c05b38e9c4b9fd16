package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/stophook/stophook/internal/command"
	"github.com/stophook/stophook/internal/term"
	"github.com/stophook/stophook/policy/policytest"
)

// watchEvery is how often `test --watch` looks for changed files.
const watchEvery = 400 * time.Millisecond

// notRun is the exit code of tests that could not be run: bad flags, policies that
// do not load.
const notRun = 2

func (p *program) testCommand() *cli.Command {
	return &cli.Command{
		Name: "test", Usage: "Rego tests and recorded cases, with coverage",
		UsageText: `stophook test [flags] [DIR]...

  stophook test --cover .stophook/policies
  stophook test --run tests_ran --watch`,
		Description: `Runs the Rego tests (_test.rego) and the cases (folders with want.json, beside
stdin.json and transcript.jsonl) below each DIR: by default the project's
.stophook/policies. A DIR may be one rule folder, its cases, one case, or one
_test.rego file. Tests get what the hook gives policies and nothing more.
Exit code 0: all passed. 1: one failed, none was found, or too little is
covered. 2: they could not be run.`,
		Flags: []cli.Flag{
			command.Switch("cover", "tell which lines of the policies no test reached"),
			&cli.Float64Flag{Name: "cover-min", Usage: "fail when less than `PCT` percent of the lines are covered", DefaultText: " "},
			formatFlag("text", "json", "junit"),
			&cli.StringFlag{Name: "run", Usage: "only tests and cases whose name matches `REGEX`"},
			&cli.StringFlag{Name: "config", Usage: "decide cases under this configuration `FILE`, too"},
			command.Switch("verbose", "list tests that passed, and what print() wrote in them", "v"),
			command.Switch("watch", "run again whenever a file changes, until Ctrl-C"),
		},
		OnUsageError: func(_ *cli.Context, err error, _ bool) error { return command.Exit(notRun, "%w", err) },
		Action:       p.test,
	}
}

// testOptions are the flags of one call.
func (p *program) testOptions(c *cli.Context) (policytest.Options, error) {
	opts := policytest.Options{Dirs: c.Args().Slice(), Cover: c.Bool("cover"), CoverMin: c.Float64("cover-min"),
		Config: c.String("config"), Output: c.Bool("verbose")}
	form, err := format(c, "text", "json", "junit")
	if err != nil {
		return opts, err
	}
	if c.Bool("watch") && form != "text" {
		return opts, fmt.Errorf("--watch is for people: it goes with --format text only")
	}
	if opts.CoverMin < 0 || opts.CoverMin > 100 {
		return opts, fmt.Errorf("--cover-min %v is no percentage; give 0 to 100", opts.CoverMin)
	}
	if text := c.String("run"); text != "" {
		re, err := regexp.Compile(text)
		if err != nil {
			return opts, fmt.Errorf("--run %q is no regular expression: %w", text, err)
		}
		opts.Run = re
	}
	if len(opts.Dirs) > 0 {
		return opts, nil
	}
	dir := p.projectPolicies()
	if _, err := os.Stat(dir); err != nil {
		return opts, fmt.Errorf("this project has no %s: name a folder of policies, or make a rule with `stophook policy new NAME`", dir)
	}
	opts.Dirs = []string{dir}
	return opts, nil
}

// projectPolicies is the project's own policy folder, as the hook finds it; below
// the working folder it is named from there.
func (p *program) projectPolicies() string {
	return p.short(filepath.Join(p.project(), ".stophook", "policies"))
}

func (p *program) test(c *cli.Context) error {
	opts, err := p.testOptions(c)
	if err != nil {
		return command.Exit(notRun, "%w", err)
	}
	ctx, stop := command.Interrupted()
	defer stop()
	if c.Bool("watch") {
		every := time.NewTicker(watchEvery)
		defer every.Stop()
		return p.testWatch(ctx, c, opts, every.C)
	}
	code, err := p.testOnce(ctx, c, opts)
	if err != nil {
		return command.Exit(notRun, "%w", err)
	}
	if code != 0 {
		return command.Exit(code, "")
	}
	return nil
}

// testWatch runs the tests again whenever a file changes, until ctx ends. What
// goes wrong meanwhile is told: the next change may repair it.
func (p *program) testWatch(ctx context.Context, c *cli.Context, opts policytest.Options, tick <-chan time.Time) error {
	watch := policytest.NewWatch(opts)
	for first := true; ; first = false {
		if _, err := p.testOnce(ctx, c, opts); err != nil && ctx.Err() == nil {
			if first {
				return command.Exit(notRun, "%w", err)
			}
			fmt.Fprintf(p.stderr, "stophook: %s\n", term.Visible(err.Error()))
		}
		if ctx.Err() == nil {
			fmt.Fprintf(p.stdout, "watching %s; Ctrl-C ends\n", term.OneLine(strings.Join(opts.Dirs, ", "), 200))
		}
		changed := watch.Wait(ctx, tick)
		if changed == nil {
			return nil
		}
		const shown = 3
		more := ""
		if n := len(changed) - shown; n > 0 {
			more = fmt.Sprintf(" and %d more", n)
		}
		fmt.Fprintf(p.stdout, "\nchanged: %s%s\n", term.OneLine(strings.Join(changed[:min(shown, len(changed))], ", "), 300), more)
	}
}

// testOnce runs the tests, prints the report and gives the exit code.
func (p *program) testOnce(ctx context.Context, c *cli.Context, opts policytest.Options) (int, error) {
	report, err := policytest.Run(ctx, opts)
	if err != nil {
		return notRun, err
	}
	if c.Bool("watch") && ctx.Err() != nil {
		return 0, nil // Ctrl-C in the middle of a run: nobody waits for its report
	}
	switch c.String("format") {
	case "json":
		err = report.WriteJSON(p.stdout)
	case "junit":
		err = report.WriteJUnit(p.stdout)
	default:
		err = report.WriteText(p.stdout, policytest.TextOptions{Style: term.For(p.stdout, p.getenv), Verbose: c.Bool("verbose")})
	}
	return report.ExitCode(), err
}
