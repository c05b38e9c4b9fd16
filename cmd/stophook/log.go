package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/stophook/stophook/internal/command"
	"github.com/stophook/stophook/internal/term"
	"github.com/stophook/stophook/policy"
	"github.com/stophook/stophook/policy/decisionlog"
	"github.com/stophook/stophook/policy/evidence"
)

const (
	logShown = 20                     // decisions that are shown when nothing is asked for
	logEvery = 500 * time.Millisecond // how often --follow looks for new ones
)

// logPath is the decision log of a state folder.
func logPath(stateDir string) string { return filepath.Join(stateDir, "decisions.jsonl") }

// ticking is a ticker of the system, and how it ends.
func ticking(every time.Duration) (<-chan time.Time, func()) {
	t := time.NewTicker(every)
	return t.C, t.Stop
}

func (p *program) logCommand() *cli.Command {
	return &cli.Command{
		Name: "log", Usage: "the decisions that were taken",
		UsageText: `stophook log [flags]

  stophook log --verdict block --since 2d
  stophook log --follow --session 0c2f8a11`,
		Description: fmt.Sprintf(`Prints the decision log, one line a decision, oldest first: when (UTC), which
session, the verdict and its code, and what was missing. The rotated files count
as well. Without --since, -n or --json the last %d are shown.`, logShown),
		Flags: []cli.Flag{
			command.Switch("follow", "go on with new decisions until Ctrl-C", "f"),
			&cli.StringFlag{Name: "session", Usage: "only of the session whose `ID` begins so"},
			&cli.StringFlag{Name: "since", Usage: "only from `T` on: a day, an instant, or an age (36h, 14d)"},
			&cli.StringSliceFlag{Name: "verdict", Usage: "only with this `VERDICT`: allow, block, defer; may be repeated"},
			&cli.IntFlag{Name: "n", Usage: "only the last `N`; 0 shows all", DefaultText: fmt.Sprint(logShown)},
			command.Switch("verbose", "with the whole reason, and what the person saw", "v"),
			command.Switch("json", "print the events as they are, one a line"),
			stateDirFlag(), nowFlag(),
		},
		Action: p.showLog,
	}
}

// logView is what is shown of the log, and how.
type logView struct {
	session  string
	verdicts []string
	last     int // 0: all
	json     bool
	verbose  bool
	style    term.Style
	out      *bufio.Writer
}

func (p *program) showLog(c *cli.Context) error {
	if c.Args().Present() {
		return fmt.Errorf("log takes no arguments, got %q; --session ID shows one session", c.Args().First())
	}
	if err := p.setClock(c); err != nil {
		return err
	}
	v, err := p.logView(c)
	if err != nil {
		return err
	}
	since, err := command.Since("--since", c.String("since"), p.now())
	if err != nil {
		return err
	}
	store := p.store(c)
	if store.Dir == "" {
		return evidence.ErrNoStateDir
	}
	f := &decisionlog.Follower{Path: logPath(store.Dir), Filter: decisionlog.Filter{Since: since}}
	if !c.Bool("follow") {
		return p.printLog(c, f.Path, v, func(fn func(decisionlog.Line) error) (decisionlog.Stats, error) {
			return decisionlog.ReadLines(f.Path, f.Filter, fn)
		})
	}
	defer f.Close()
	ctx, stop := p.interrupted()
	defer stop()
	tick, halt := p.ticking(logEvery)
	defer halt()
	if _, err := os.Stat(f.Path); err != nil && !v.json {
		fmt.Fprintf(p.stderr, "stophook: no decision is logged yet in %s; waiting for the first, until Ctrl-C\n", term.Visible(f.Path))
	}
	for {
		if err := p.printLog(c, f.Path, v, f.Poll); err != nil {
			return err
		}
		v.last = 0
		select {
		case <-ctx.Done():
			return nil
		case <-tick:
		}
	}
}

func (p *program) logView(c *cli.Context) (*logView, error) {
	v := &logView{session: c.String("session"), verdicts: c.StringSlice("verdict"), json: c.Bool("json"), verbose: c.Bool("verbose"),
		style: p.style(), out: bufio.NewWriter(p.stdout)}
	for _, verdict := range v.verdicts {
		if !slices.Contains([]string{policy.VerdictAllow, policy.VerdictBlock, policy.VerdictDefer}, verdict) {
			return nil, fmt.Errorf("--verdict %q: there are allow, block, defer", verdict)
		}
	}
	switch {
	case c.IsSet("n"):
		v.last = c.Int("n")
	case !v.json && !c.IsSet("since"):
		v.last = logShown
	}
	if v.last < 0 {
		return nil, fmt.Errorf("-n %d: a count is not below 0; 0 shows all", v.last)
	}
	return v, nil
}

// printLog prints the events that read gives, the last ones or all.
func (p *program) printLog(c *cli.Context, path string, v *logView,
	read func(func(decisionlog.Line) error) (decisionlog.Stats, error)) error {
	var kept [][]byte // the last ones, when not all are wanted
	shown, found := 0, 0
	stats, err := read(func(l decisionlog.Line) error {
		if !v.wants(l) {
			return nil
		}
		found++
		if v.last == 0 {
			shown++
			return v.print(l)
		}
		if len(kept) == v.last {
			kept = slices.Delete(kept, 0, 1)
		}
		kept = append(kept, bytes.Clone(l.Raw))
		return nil
	})
	if err != nil {
		return err
	}
	for _, raw := range kept {
		shown++
		if err := v.print(decisionlog.ParseLine(raw)); err != nil {
			return err
		}
	}
	if err := v.out.Flush(); err != nil {
		return err
	}
	if stats.Bad > 0 {
		fmt.Fprintf(p.stderr, "stophook: %s of the log could not be read and %s left out: torn or broken\n",
			term.Plural(stats.Bad, "line"), map[bool]string{true: "was", false: "were"}[stats.Bad == 1])
	}
	switch {
	case v.json || c.Bool("follow"):
	case shown == 0:
		p.emptyLog(c, path, stats)
	case found > shown && !c.IsSet("n"):
		fmt.Fprintf(p.stderr, "stophook: the last %d of %d; -n 0 shows all\n", shown, found)
	}
	return nil
}

// emptyLog says where decisions would be, and why there may be none.
func (p *program) emptyLog(c *cli.Context, path string, stats decisionlog.Stats) {
	if _, err := os.Stat(path); err == nil && (stats.Events > 0 || stats.Files == 0 || c.IsSet("since")) {
		fmt.Fprintf(p.stderr, "stophook: %s has no decision that was asked for; `stophook log` shows the last ones\n", term.Visible(path))
		return
	}
	why := []string{"the hook is not installed or not reached: run `stophook doctor`", "no turn has ended since it was installed"}
	if dir, err := p.workdir(); err == nil {
		if config, err := p.config(c, dir); err == nil && !config.Log.Enabled {
			why = append([]string{"the log is switched off here (log.enabled: false)"}, why...)
		}
	}
	why = append(why, "the host runs with another XDG_STATE_HOME or HOME, or its command has a --state-dir")
	fmt.Fprintf(p.stderr, "stophook: no decision is logged yet; they would be in %s. Either\n  - %s\n", term.Visible(path), strings.Join(why, ", or\n  - "))
}
