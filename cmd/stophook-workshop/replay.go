package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/stophook/stophook/internal/command"
	"github.com/stophook/stophook/internal/term"
	"github.com/stophook/stophook/policy/replay"
	"github.com/stophook/stophook/policy/report"
)

func (p *program) replayCommand() *cli.Command {
	return &cli.Command{
		Name: "replay", Usage: "what a policy would have done in recorded sessions",
		UsageText: `stophook replay [flags] [PATH]...

  stophook replay --policy .stophook/policies --since 14d
  stophook replay --format html -o replay.html ~/.claude/projects/-home-me-app`,
		Description: `Finds every point at which the agent stopped in the transcripts below each PATH (by
default all of Claude Code's), rebuilds what the hook would have seen at that moment,
and decides as the hook would: the rows up to there, the time of then, the evidence
that existed, and the blocks that this policy would have made before. What cannot be
rebuilt is said. Nothing is changed, and nothing leaves this machine.`,
		Flags: append(policyFlags(), profileFlag(), stateDirFlag(),
			&cli.StringFlag{Name: "since", Usage: "only stops since `TIME`: a day, an instant, or how long ago (36h, 14d)"},
			formatFlag("text", "json", "html"),
			command.Switch("json", "the same as --format json"),
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE` instead of stdout"},
			command.Switch("stops", "list every blocked and deferred stop with its reason"),
			&cli.IntFlag{Name: "workers", Usage: "judge `N` sessions at a time (default one for each processor)", DefaultText: " "}),
		Action: p.replay,
	}
}

// replayOptions are the policy, the evidence and the clock of a replay.
func (p *program) replayOptions(c *cli.Context) (opts replay.Options, err error) {
	project := p.project()
	if opts.Layers, err = p.layers(c, project); err != nil {
		return opts, err
	}
	if opts.Config, err = p.config(c, project); err != nil {
		return opts, err
	}
	return p.replayRun(c, opts)
}

// replayRun adds what does not depend on the policy.
func (p *program) replayRun(c *cli.Context, opts replay.Options) (_ replay.Options, err error) {
	opts.Store, opts.Home, opts.Workers = p.store(c), p.home, c.Int("workers")
	if opts.Workers < 0 {
		return opts, fmt.Errorf("--workers %d: at least 1", opts.Workers)
	}
	opts.Since, err = p.since(c.String("since"))
	return opts, err
}

// replayPaths are the arguments, or the host's own folder.
func (p *program) replayPaths(c *cli.Context) ([]string, error) {
	if c.Args().Present() {
		return c.Args().Slice(), nil
	}
	dir := replay.DefaultPath(p.getenv, p.home)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: Claude Code has left no session here; name the transcripts or a folder of them", dir)
	}
	return []string{dir}, nil
}

func (p *program) replay(c *cli.Context) error {
	as, err := format(c, "text", "json", "html")
	if err != nil {
		return err
	}
	opts, err := p.replayOptions(c)
	if err != nil {
		return err
	}
	paths, err := p.replayPaths(c)
	if err != nil {
		return err
	}
	ctx, stop := command.Interrupted()
	defer stop()
	bar := term.NewProgress(p.stderr, "replay", p.getenv, p.now)
	opts.Progress = bar.Bytes
	result, err := replay.Run(ctx, paths, opts)
	bar.Clear()
	if err != nil {
		return told(err, 1)
	}
	err = p.write(c.String("output"), func(w io.Writer) error {
		switch as {
		case "json":
			return command.PrintJSON(w, result)
		case "html":
			return report.WriteReplay(w, result, report.Options{Now: p.now(), Policy: policyWords(opts.Layers)})
		}
		return replayText{style: p.styleOf(w, c.String("output")), home: p.home, stops: c.Bool("stops")}.print(w, result)
	})
	if t := result.Totals; err == nil && t.Unreadable > 0 && t.Sessions+t.NoStop+t.BeforeSince == 0 {
		return command.Exit(1, "nothing could be read; the output says why")
	}
	return err
}

// told explains an interrupted run in the words of the person who interrupted it.
// Other errors end the program with the given code.
func told(err error, code int) error {
	if errors.Is(err, context.Canceled) {
		return command.Exit(130, "interrupted; nothing was written")
	}
	return command.Exit(code, "%w", err)
}

// styleOf colours only what goes to the terminal.
func (p *program) styleOf(_ io.Writer, output string) term.Style {
	if output != "" && output != "-" {
		return term.Style{}
	}
	return p.style()
}

// write runs print on stdout, or on a new file that takes the place of output when
// all of it is written, so that a failed run leaves the old one.
func (p *program) write(output string, print func(io.Writer) error) error {
	if output == "" || output == "-" {
		return print(p.stdout)
	}
	file, err := os.CreateTemp(filepath.Dir(output), ".stophook-*")
	if err != nil {
		return fmt.Errorf("--output %s: %w", output, err)
	}
	defer os.Remove(file.Name()) // fails when it was renamed
	err = errors.Join(print(file), file.Chmod(0o600), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), output)
	}
	if err != nil {
		return fmt.Errorf("--output %s: %w", output, err)
	}
	fmt.Fprintf(p.stderr, "stophook: wrote %s\n", term.Visible(output))
	return nil
}
