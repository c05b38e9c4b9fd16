package main

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/stophook/stophook/agentcore/session"
	"github.com/stophook/stophook/internal/command"
)

func (p *program) resumeCommand() *cli.Command {
	return &cli.Command{
		Name: "resume", Usage: "go on with a session",
		UsageText: `agentcore resume ID -p PROMPT [flags]
  agentcore resume --last -p PROMPT [flags]

  agentcore resume 3f2a -p "now add a test"
  agentcore resume --last --fork -p "try it another way"`,
		Description: `Goes on where a session ended, with its model unless another one is named. The
beginning of an id is enough. --last is the latest session of this directory. Calls
that a killed run left open are answered first. --fork works on a copy and leaves the
session as it is. The agent is told of background tasks that ended meanwhile; a session
with supervised tasks keeps --context supervised. Flags and exit codes are those of run.`,
		Flags: append(runFlags(),
			command.Switch("last", "the session that was used last in this directory"),
			command.Switch("fork", "go on in a copy")),
		Action: func(c *cli.Context) error {
			id, rest := c.Args().First(), c.Args().Tail()
			if c.Bool("last") {
				id, rest = "", c.Args().Slice()
			} else if id == "" || id == "-" {
				return usage(errors.New("which session? give the beginning of its id, or --last; `agentcore sessions` lists them"))
			}
			return p.launch(c, p.oldSession(id), rest)
		},
	}
}

// oldSession opens a session, or a copy of it, with its own model or another one.
func (p *program) oldSession(id string) opener {
	return func(c *cli.Context, store *session.Store, cwd string) (*session.Session, chosen, error) {
		id, err := p.pick(store, id, cwd)
		if err != nil {
			return nil, chosen{}, err
		}
		open := store.Open
		if c.Bool("fork") {
			open = func(id string) (*session.Session, error) { return store.Fork(id, "") }
		}
		sess, err := open(id)
		if err != nil {
			return nil, chosen{}, err
		}
		m, err := p.chooseModel(c, sess.Meta().Model)
		if entry := entrypointOf(c.Bool("wake")); err == nil && (m.name != sess.Meta().Model || entry != sess.Meta().Entrypoint) {
			err = sess.SetMeta(session.Meta{Model: m.name, Entrypoint: entry})
		}
		if err != nil {
			return nil, m, errors.Join(err, sess.Close())
		}
		return sess, m, nil
	}
}

// pick finds the session to resume; an empty id is the latest of the directory.
func (p *program) pick(store *session.Store, id, cwd string) (string, error) {
	if id != "" {
		return findSession(store, id)
	}
	infos, err := store.List()
	if err != nil {
		return "", err
	}
	for _, i := range infos {
		if i.CWD == cwd && i.Problem == "" {
			return i.ID, nil
		}
	}
	return "", fmt.Errorf("no session of %s is kept; `agentcore sessions` lists those of other directories", cwd)
}
