package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/stophook/stophook/agentcore/session"
	"github.com/stophook/stophook/internal/command"
	"github.com/stophook/stophook/internal/term"
)

// sessionsShown is how many sessions a list shows when nothing is asked for.
const sessionsShown = 20

// sessionsSchema names the version of `agentcore sessions --json`.
const sessionsSchema = "agentcore.sessions/v1"

// sessionRow is one session of the list. Cost is nil where nobody gave prices.
type sessionRow struct {
	ID         string    `json:"session_id"`
	Title      string    `json:"title,omitempty"`
	Model      string    `json:"model,omitempty"`
	CWD        string    `json:"cwd,omitempty"`
	Created    time.Time `json:"created,omitzero"`
	Last       time.Time `json:"last,omitzero"`
	Turns      int       `json:"turns"`
	Bytes      int64     `json:"bytes"`
	CostUSD    float64   `json:"cost_usd,omitempty"`
	ForkOf     string    `json:"fork_of,omitempty"`
	InUse      bool      `json:"in_use,omitempty"`
	Problem    string    `json:"problem,omitempty"`
	Transcript string    `json:"transcript_path"`
}

func stateDirFlag() cli.Flag {
	return &cli.StringFlag{Name: "state-dir", Usage: "keep sessions in `DIR`", DefaultText: "$XDG_STATE_HOME/agentcore"}
}

// store is the folder of sessions that the flags and the environment name.
func (p *program) store(c *cli.Context) (*session.Store, error) {
	dir := c.String("state-dir")
	if dir == "" {
		dir = p.getenv("XDG_STATE_HOME")
		if !filepath.IsAbs(dir) { // the base directory rules say: ignore a relative one
			if p.home == "" {
				return nil, errors.New("there is no place for sessions: HOME is not set; name one with --state-dir")
			}
			dir = filepath.Join(p.home, ".local", "state")
		}
		dir = filepath.Join(dir, "agentcore")
	}
	return session.NewStore(session.Options{Root: dir, Now: p.now, Version: "agentcore " + version,
		Warn: func(message string) { p.log.Warn(message) }})
}

func (p *program) sessionsCommand() *cli.Command {
	return &cli.Command{
		Name: "sessions", Usage: "the sessions that are kept",
		UsageText: `agentcore sessions [flags]
  agentcore sessions --delete ID

  agentcore sessions --here
  agentcore sessions --json | jq -r '.sessions[0].transcript_path'`,
		Description: fmt.Sprintf(`Lists the sessions, the one used last first: when (UTC), turns, size, and the title
or first prompt. Without -n or --json the last %d are shown. --delete removes a session
with its subagents and the output of its tasks; one that is in use, or whose tasks run,
stays.`, sessionsShown),
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "n", Usage: "only the last `N`; 0 shows all", DefaultText: fmt.Sprint(sessionsShown)},
			command.Switch("here", "only those that worked in this directory"),
			&cli.StringFlag{Name: "delete", Usage: "remove the session `ID`; the beginning of an id is enough"},
			command.Switch("json", "print one JSON object"),
			stateDirFlag(),
		},
		Action: func(c *cli.Context) error { return p.sessions(c) },
	}
}

func (p *program) sessions(c *cli.Context) error {
	if c.Args().Present() {
		return usage(fmt.Errorf("sessions takes no arguments, got %q; `agentcore resume %[1]s` goes on with one", c.Args().First()))
	}
	store, err := p.store(c)
	if err != nil {
		return usage(err)
	}
	if id := c.String("delete"); id != "" {
		return p.deleteSession(c.Context, store, id)
	}
	last := c.Int("n")
	if last < 0 {
		return usage(fmt.Errorf("-n %d: a count is not below 0; 0 shows all", last))
	}
	infos, err := store.List()
	if err != nil {
		return err
	}
	if c.Bool("here") {
		dir, err := p.workdir()
		if err != nil {
			return err
		}
		infos = slices.DeleteFunc(infos, func(i session.Info) bool { return i.CWD != dir })
	}
	found := len(infos)
	if !c.IsSet("n") && !c.Bool("json") {
		last = sessionsShown
	}
	if last > 0 && len(infos) > last {
		infos = infos[:last]
	}
	if c.Bool("json") {
		return p.printJSON(map[string]any{"schema": sessionsSchema, "found": found, "sessions": sessionRows(infos)})
	}
	if found == 0 {
		fmt.Fprintf(p.stderr, "agentcore: no session is kept in %s; `agentcore run -p …` makes one\n", term.Visible(store.Root()))
		return nil
	}
	p.printSessions(infos)
	if found > len(infos) && !c.IsSet("n") {
		fmt.Fprintf(p.stderr, "agentcore: the last %d of %d; -n 0 shows all\n", len(infos), found)
	}
	return nil
}

func sessionRows(infos []session.Info) []sessionRow {
	rows := make([]sessionRow, 0, len(infos))
	for _, i := range infos {
		rows = append(rows, sessionRow{ID: i.ID, Title: i.Title, Model: i.Model, CWD: i.CWD, Created: i.Created, Last: i.Last,
			Turns: i.Turns, Bytes: i.Size, CostUSD: i.CostUSD, ForkOf: i.ForkOf, InUse: i.InUse, Problem: i.Problem, Transcript: i.Path})
	}
	return rows
}

func (p *program) printSessions(infos []session.Info) {
	style := term.For(p.stdout, p.getenv)
	tw := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "LAST (UTC)\tID\tTURNS\tSIZE\tWHAT")
	for _, i := range infos {
		when := "-"
		if !i.Last.IsZero() {
			when = i.Last.UTC().Format("2006-01-02 15:04")
		}
		what := term.OneLine(term.OrDash(i.Title), 60)
		switch {
		case i.Problem != "":
			what = "! " + term.OneLine(i.Problem, 70)
		case i.InUse:
			what += "  (in use)"
		case i.ForkOf != "":
			what += "  (fork of " + term.Word(short(i.ForkOf)) + ")"
		}
		fmt.Fprintf(tw, "%s\t%s\t%d\t%s\t%s\n", when, term.Word(i.ID), i.Turns, term.Size(i.Size), what)
	}
	tw.Flush()
	if slices.ContainsFunc(infos, func(i session.Info) bool { return i.Problem != "" }) {
		fmt.Fprintln(p.stderr, style.Warn("agentcore: sessions marked with ! could not be read whole; their files are kept as they are"))
	}
}

// short is enough of an id to name a session.
func short(id string) string {
	if len(id) > 8 {
		return id[:8]
	}
	return id
}

func (p *program) deleteSession(ctx context.Context, store *session.Store, id string) error {
	id, err := findSession(store, id)
	if err != nil {
		return usage(err)
	}
	if err := p.quiet(ctx, store, id); err != nil {
		return err
	}
	if err := store.Delete(id); err != nil {
		return err
	}
	fmt.Fprintf(p.stderr, "agentcore: removed session %s\n", id)
	return nil
}

// findSession completes the beginning of an id. A whole id is taken as it is.
func findSession(store *session.Store, id string) (string, error) {
	infos, err := store.List()
	if err != nil {
		return "", err
	}
	var fit []string
	for _, i := range infos {
		if i.ID == id {
			return id, nil
		}
		if strings.HasPrefix(i.ID, id) {
			fit = append(fit, i.ID)
		}
	}
	switch len(fit) {
	case 1:
		return fit[0], nil
	case 0:
		return "", fmt.Errorf("there is no session %q in %s; `agentcore sessions` lists them", term.OneLine(id, 60), store.Root())
	}
	return "", fmt.Errorf("%q begins the ids of %d sessions (%s, …); give more of it", id, len(fit), strings.Join(fit[:2], ", "))
}
