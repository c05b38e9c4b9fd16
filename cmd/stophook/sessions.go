package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/stophook/stophook/internal/command"
	"github.com/stophook/stophook/internal/term"
	"github.com/stophook/stophook/policy"
	"github.com/stophook/stophook/policy/evidence"
	"github.com/stophook/stophook/policy/sessions"
)

const (
	sessionsShown = 20
	// pruneFloor is the least age of a session that --prune removes: a younger one
	// may still be at work, and would lose its evidence and its count of blocks.
	pruneFloor = 24 * time.Hour
)

func (p *program) sessionsCommand() *cli.Command {
	return &cli.Command{
		Name: "sessions", Usage: "the sessions that were seen, and how they stand",
		UsageText: `stophook sessions [flags]
  stophook sessions --prune AGE [--dry-run]

  stophook sessions --since 2d
  stophook sessions --prune 30d --dry-run`,
		Description: fmt.Sprintf(`Lists the sessions, the one that was active last first (times in UTC): the verdict of
its last stop, the blocks in a row, what still runs or was never collected, and
its name and task. Without --since, -n or --json the last %d are shown.

--prune removes what was kept of sessions that nobody has used for AGE: their
evidence and their count of blocks. The decision log stays.`, sessionsShown),
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "since", Usage: "only those active from `T` on: a day, an instant, or an age (36h, 14d)"},
			&cli.IntFlag{Name: "n", Usage: "only the last `N`; 0 shows all", DefaultText: fmt.Sprint(sessionsShown)},
			&cli.StringFlag{Name: "prune", Usage: "remove the folders of sessions older than `AGE` (30d); a day at least"},
			command.Switch("dry-run", "with --prune: say what would be removed"),
			command.Switch("json", "print one JSON object"),
			stateDirFlag(), nowFlag(),
		},
		Action: p.sessions,
	}
}

func (p *program) sessions(c *cli.Context) error {
	if c.Args().Present() {
		return fmt.Errorf("sessions takes no arguments, got %q; `stophook log --session ID` shows one session", c.Args().First())
	}
	if err := p.setClock(c); err != nil {
		return err
	}
	store := p.store(c)
	if store.Dir == "" {
		return evidence.ErrNoStateDir
	}
	if c.IsSet("prune") {
		return p.pruneSessions(c, store)
	}
	if c.Bool("dry-run") {
		return errors.New("--dry-run goes with --prune AGE; without it nothing is removed anyway")
	}
	since, err := command.Since("--since", c.String("since"), p.now())
	if err != nil {
		return err
	}
	last := c.Int("n")
	if last < 0 {
		return fmt.Errorf("-n %d: a count is not below 0; 0 shows all", last)
	}
	if !c.IsSet("n") && !c.IsSet("since") && !c.Bool("json") {
		last = sessionsShown
	}
	r, err := sessions.List(sessions.Options{Store: store, Log: logPath(store.Dir), Now: p.now(), Since: since, Last: last,
		Home: p.home, Config: p.projectConfig})
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return p.printJSON(r)
	}
	if r.Found == 0 {
		fmt.Fprintf(p.stderr, "stophook: no session%s was seen in %s; `stophook doctor` looks whether the hook is reached\n",
			map[bool]string{true: " of that time", false: ""}[c.IsSet("since")], term.Visible(store.Dir))
		return nil
	}
	if err := p.printSessions(r); err != nil {
		return err
	}
	if r.BadLines > 0 {
		fmt.Fprintf(p.stderr, "stophook: %s of the log could not be read\n", term.Plural(r.BadLines, "line"))
	}
	if r.Found > len(r.Sessions) && !c.IsSet("n") {
		fmt.Fprintf(p.stderr, "stophook: the last %d of %d; -n 0 shows all\n", len(r.Sessions), r.Found)
	}
	return nil
}

// projectConfig is the configuration of another session's project. A broken one has
// been told where it counts; what is in order of it is used here.
func (p *program) projectConfig(dir string) policy.Config {
	getenv := func(name string) string {
		if name == "CLAUDE_PROJECT_DIR" {
			return "" // that of the session in which we are called
		}
		return p.getenv(name)
	}
	config, _, _ := policy.LoadConfig(policy.DefaultSources(getenv, p.home, policy.ProjectDir(getenv, p.home, dir)))
	return config
}

// pruneSessions removes old folders and says which.
func (p *program) pruneSessions(c *cli.Context, store evidence.Store) error {
	age, err := command.Age("--prune", c.String("prune"))
	if err != nil {
		return err
	}
	if age < pruneFloor {
		return fmt.Errorf("--prune %s: a session of the last day may still be at work; give 1d at least", c.String("prune"))
	}
	dry := c.Bool("dry-run")
	told, err := store.Prune(p.now().Add(-age), dry)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return p.printJSON(pruneDocument(store.Dir, told, dry))
	}
	gone, size := 0, int64(0)
	for _, f := range told {
		if f.Kept != "" {
			fmt.Fprintf(p.stdout, "%s  %s: %s\n", p.style().Warn("kept         "), term.Word(f.Name), term.Visible(f.Kept))
			continue
		}
		gone++
		size += f.Size
		fmt.Fprintf(p.stdout, "%s  %s, %s, last used %s\n", map[bool]string{true: "would remove ", false: "removed      "}[dry],
			term.Word(f.Name), term.Size(f.Size), f.Changed.UTC().Format(time.DateOnly))
	}
	_, err = fmt.Fprintf(p.stdout, "%s of %s, %s%s\n", term.Plural(gone, "session"), term.Visible(store.Dir), term.Size(size),
		map[bool]string{true: "; nothing was removed", false: " removed"}[dry])
	return err
}

func pruneDocument(dir string, told []evidence.Pruned, dry bool) map[string]any {
	list := []map[string]any{}
	for _, f := range told {
		doc := map[string]any{"folder": f.Name, "bytes": f.Size, "changed": f.Changed.UTC(), "removed": f.Kept == "" && !dry}
		if f.Kept != "" {
			doc["kept"] = f.Kept
		}
		list = append(list, doc)
	}
	return map[string]any{"schema": "stophook.prune/v1", "state_dir": dir, "dry_run": dry, "sessions": list}
}
