package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/stophook/stophook/internal/command"
	"github.com/stophook/stophook/policy"
	"github.com/stophook/stophook/policy/evidence"
	"github.com/stophook/stophook/policy/hookio"
)

// errUnknownSession is what an evidence command says when nothing tells it the
// session: it then writes nothing, because evidence filed under a guess would
// prove nothing.
var errUnknownSession = errors.New(`the session is unknown: neither CLAUDE_CODE_SESSION_ID nor STOPHOOK_SESSION_ID is set,
nor a variable of another host. Run this inside the agent's session (Claude Code's shell
sets the first; our SessionStart hook exports the second; Codex and Copilot set their
own), or name the session with --session ID, as stophook's texts do. Nothing was written`)

func evidenceFlags(more ...cli.Flag) []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "session", Usage: "the session `ID` (default: from the environment)"},
		stateDirFlag(),
		command.Switch("json", "print one JSON object"),
		&cli.StringFlag{Name: "now", Usage: "use `TIME` (RFC 3339) as the present, for tests", Hidden: true},
	}, more...)
}

// evidenceSession finds the session that the evidence belongs to.
func (p *program) evidenceSession(c *cli.Context) (*evidence.Session, error) {
	if err := p.setClock(c); err != nil {
		return nil, err
	}
	id := c.String("session")
	if id == "" {
		id, _ = hookio.SessionFromEnv(p.getenv)
	}
	if id == "" {
		return nil, errUnknownSession
	}
	return p.store(c).Session(id)
}

func (p *program) statusCommand() *cli.Command {
	return &cli.Command{
		Name: "status", Usage: "the guarded status check of a turn",
		UsageText: `stophook status [--end-turn [--end-session]] [flags]

  stophook status --end-turn`,
		Description: `Checks the Git state of the working folder and prints the status box. With
--end-turn the check is filed as evidence that this turn may end; show the box
in the answer. Where Git finalization is required, the check refuses (exit 1,
nothing filed) while work is uncommitted, unpushed, behind or diverged.
No network is used: "behind" is against what was fetched last.`,
		Flags: evidenceFlags(
			command.Switch("end-turn", "file the check that the end of a turn needs"),
			command.Switch("end-session", "also ask that a passing stop ends the session (needs --end-turn)"),
			&cli.StringFlag{Name: "dir", Usage: "check `DIR` instead of the working folder"},
			&cli.StringFlag{Name: "config", Usage: "one more configuration `FILE`"}),
		Action: p.status,
	}
}

func (p *program) status(c *cli.Context) error {
	if c.Args().Present() {
		return fmt.Errorf("status takes no arguments, got %q", c.Args().First())
	}
	session, err := p.evidenceSession(c)
	if err != nil {
		return err
	}
	dir := c.String("dir")
	if dir == "" {
		if dir, err = p.workdir(); err != nil {
			return err
		}
	}
	config, err := p.config(c, dir)
	if err != nil {
		return err
	}
	res, err := session.Status(context.Background(), evidence.StatusRequest{Dir: dir, EndTurn: c.Bool("end-turn"),
		RequireFinal: config.RequireGitFinalization, EndSession: c.Bool("end-session")})
	if err != nil {
		return p.notFiled(c, err)
	}
	if c.Bool("json") {
		if err := p.printJSON(statusDocument(session, res)); err != nil {
			return err
		}
	} else if !res.Refused {
		fmt.Fprintln(p.stdout, res.Text)
		if res.Kind == evidence.EndTurnChecked {
			fmt.Fprintln(p.stdout, "Show this box in your answer; it counts until your next tool call.")
		}
	}
	if res.Refused {
		return &command.ExitError{Code: 1, Err: errors.New(strings.TrimRight(res.Text, "\n"))}
	}
	return nil
}

func statusDocument(s *evidence.Session, res evidence.StatusResult) map[string]any {
	doc := map[string]any{"schema": "stophook.status/v1", "session": s.ID(), "refused": res.Refused,
		"final": res.Git.Final(), "git": res.Git}
	if !res.Refused {
		doc["check_id"], doc["kind"], doc["at"], doc["box"] = res.CheckID, string(res.Kind), res.At, res.Text
	}
	return doc
}

// config loads the configuration that is in force in dir.
func (p *program) config(c *cli.Context, dir string) (policy.Config, error) {
	sources := policy.DefaultSources(p.getenv, p.home, policy.ProjectDir(p.getenv, p.home, dir))
	if file := c.String("config"); file != "" {
		sources = append(sources, policy.ExplicitSource(file))
	}
	config, warnings, err := policy.LoadConfig(sources)
	for _, w := range warnings {
		p.log.Warn(w.String())
	}
	return config, err
}

func (p *program) taskCommand() *cli.Command {
	return &cli.Command{
		Name: "task", Usage: "declare the task of this session",
		UsageText: `stophook task [flags] "what this session is about"

  stophook task "make the importer read gzip files"`,
		Flags: evidenceFlags(),
		Action: func(c *cli.Context) error {
			return p.say(c, "task", (*evidence.Session).DeclareTask)
		},
	}
}

func (p *program) nameCommand() *cli.Command {
	return &cli.Command{
		Name: "name", Usage: "name this session",
		UsageText: `stophook name [flags] "a short name"

  stophook name "gzip importer"`,
		Flags: evidenceFlags(),
		Action: func(c *cli.Context) error {
			return p.say(c, "name", (*evidence.Session).NameSession)
		},
	}
}

// notFiled tells what stands in the way when this shell may not write the evidence:
// the agent cannot repair that, and the stop hook knows the exit code.
func (p *program) notFiled(c *cli.Context, err error) error {
	if !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) {
		return err
	}
	return &command.ExitError{Code: policy.ExitNotFiled, Err: fmt.Errorf("%w\nNothing was filed: this shell may not write below %s.\n"+
		"If it is a sandbox, the person has to let it write there; tell them, and go on", err, p.store(c).Dir)}
}

// say files one text as evidence.
func (p *program) say(c *cli.Context, what string, file func(*evidence.Session, context.Context, string) (evidence.Event, error)) error {
	if !c.Args().Present() {
		return fmt.Errorf("%s needs a text: stophook %s %q", what, what, "…")
	}
	session, err := p.evidenceSession(c)
	if err != nil {
		return err
	}
	e, err := file(session, context.Background(), strings.Join(c.Args().Slice(), " "))
	if err != nil {
		return p.notFiled(c, err)
	}
	if c.Bool("json") {
		return p.printJSON(e)
	}
	_, err = fmt.Fprintf(p.stdout, "%s: %s\n", what, e.Text)
	return err
}
