package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/stophook/stophook/agentcore"
	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/agentcore/session"
	"github.com/stophook/stophook/agentcore/tool/builtin"
	"github.com/stophook/stophook/internal/command"
)

// What transcripts and hooks are told of us. hookio.Mode reads the first as headless:
// nobody wakes the session. With --wake we do, and the second says so.
const (
	entrypoint     = "sdk-cli"
	entrypointWake = "cli"
)

func entrypointOf(wake bool) string {
	if wake {
		return entrypointWake
	}
	return entrypoint
}

func runFlags() []cli.Flag {
	return slices.Concat(
		[]cli.Flag{
			&cli.StringFlag{Name: "prompt", Aliases: []string{"p"}, Usage: "what to do; - reads it from stdin"},
			&cli.StringFlag{Name: "output", Usage: "`FORM` of stdout: text, json (one object), stream-json (an event a line)", Value: "text"},
		},
		modelFlags(), permissionFlags(),
		[]cli.Flag{
			&cli.StringFlag{Name: "system", Usage: "the system prompt; @FILE reads it from a `FILE`", DefaultText: "a short one of our own"},
			&cli.StringSliceFlag{Name: "settings", Usage: "run the command hooks of `FILE`, a settings file in Claude Code's form; repeatable"},
			&cli.IntFlag{Name: "max-turns", Usage: "end after `N` calls of the model", DefaultText: "50"},
			&cli.Int64Flag{Name: "max-tokens", Usage: "end after `N` tokens of all kinds, subagents included", DefaultText: "no limit"},
			&cli.DurationFlag{Name: "max-time", Usage: "end after a time, as in 10m", DefaultText: "no limit"},
			&cli.IntFlag{Name: "thinking", Usage: "budget for thinking, in `TOKENS`", DefaultText: "none"},
			command.Switch("no-subagents", "do not offer the spawn tool"),
			&cli.StringFlag{Name: "context", Usage: "`KIND` of background tasks: process, which end with this program; supervised, which outlive it", Value: contextProcess, DefaultText: "process; supervised in a session that has such tasks"},
			command.Switch("wake", "stay while background tasks run, and let the agent go on when one ends"),
			command.Switch("verbose", "show calls and results on stderr", "v"),
			stateDirFlag(),
		})
}

func (p *program) runCommand() *cli.Command {
	return &cli.Command{
		Name: "run", Usage: "work on one prompt, then end",
		UsageText: `agentcore run -p PROMPT [flags]

  agentcore run -p "fix the failing test" --model anthropic/NAME --allow 'shell(go test:*)' --permissions edits
  git diff | agentcore run -p "review this" - --output json | jq -r .text
  agentcore run -p "push, and fix what CI finds" --wake --permissions all
  agentcore run -p "start the long build" --context supervised --permissions all
  agentcore run -p hello --scripted script.yaml`,
		Description: `Works in this directory until the model is done and the Stop hooks let it go. The last
message goes to stdout. Nobody is asked: calls that no rule and no mode allows are
refused, and the model is told so. Keys come from ANTHROPIC_API_KEY or OPENAI_API_KEY,
and are hidden from commands and hooks.

Commands may run on in the background. Without --wake nothing wakes the agent when one
ends: it is told to collect its tasks, and what it leaves ends with this program, or,
with --context supervised, goes on: see agentcore tasks. The next resume tells the ends.

Ctrl-C ends the run in order; once more, at once. Exit codes: 0 done, 1 failed, 2 wrong
usage, 3 a limit was reached, 4 refused, 5 a hook ended the run, 130 interrupted.`,
		Flags:  append(runFlags(), &cli.StringFlag{Name: "session-id", Usage: "give the new session this `ID`", DefaultText: "a new one"}),
		Action: func(c *cli.Context) error { return p.launch(c, p.newSession, c.Args().Slice()) },
	}
}

// opener makes or opens the session of a run and chooses its model. It leaves
// nothing behind when it fails.
type opener func(c *cli.Context, store *session.Store, cwd string) (*session.Session, chosen, error)

func (p *program) newSession(c *cli.Context, store *session.Store, cwd string) (*session.Session, chosen, error) {
	m, err := p.chooseModel(c, "")
	if err != nil {
		return nil, m, err
	}
	sess, err := store.Create(session.Meta{ID: c.String("session-id"), CWD: cwd, Model: m.name, Entrypoint: entrypointOf(c.Bool("wake")),
		PermissionMode: string(modes()[c.String("permissions")])})
	return sess, m, err
}

// launch makes an agent on a session and runs it, once or as often as its tasks wake it.
func (p *program) launch(c *cli.Context, open opener, args []string) error {
	text, err := p.prompt(c.String("prompt"), args)
	if err != nil {
		return usage(err)
	}
	print, err := p.printer(c.String("output"), c.Bool("verbose"))
	if err != nil {
		return usage(err)
	}
	if err := checkContext(c.String("context")); err != nil {
		return usage(err)
	}
	cwd, err := p.workdir()
	if err != nil {
		return err
	}
	cfg, err := p.configure(c, cwd)
	if err != nil {
		return usage(err)
	}
	store, err := p.store(c)
	if err != nil {
		return usage(err)
	}
	sess, m, err := open(c, store, cwd)
	if err != nil {
		return usage(err)
	}
	defer sess.Close()
	place, err := p.place(c, sess)
	if err != nil {
		return usage(err)
	}
	cfg.Model, cfg.ModelName, cfg.Session = m.model, cmp.Or(m.api, m.name), sess
	err = p.work(cfg, place, text, print)
	if cerr := place.close(); cerr != nil {
		p.log.Warn(cerr)
	}
	return err
}

// configure makes everything of an agent but its model and session.
func (p *program) configure(c *cli.Context, cwd string) (agentcore.Config, error) {
	var cfg agentcore.Config
	gate, mode, err := gate(c, p.home)
	if err != nil {
		return cfg, err
	}
	where, err := paths(c, cwd)
	if err != nil {
		return cfg, err
	}
	system, err := p.system(c.String("system"), cwd)
	if err != nil {
		return cfg, err
	}
	settings, err := hook.LoadSettings(c.StringSlice("settings")...)
	if err != nil {
		return cfg, err
	}
	for _, file := range c.StringSlice("settings") {
		if _, err := os.Stat(file); err != nil { // a missing one is no error to LoadSettings
			return cfg, fmt.Errorf("--settings: %w", err)
		}
	}
	for _, w := range settings.Warnings {
		p.log.Warn(w)
	}
	p.settings, p.wake = settings, c.Bool("wake")
	cfg = agentcore.Config{System: system, Tools: builtin.All(builtin.Options{}), Gate: gate, PermissionMode: string(mode), Paths: where,
		Interactive: c.Bool("wake"),
		Behavior: agentcore.Behavior{MaxTurns: c.Int("max-turns"), MaxTotalTokens: c.Int64("max-tokens"), MaxDuration: c.Duration("max-time"),
			ThinkingTokens: c.Int("thinking")},
		Now: p.now, Warn: func(text string) { p.log.Warn(text) }}
	if !c.Bool("no-subagents") {
		cfg.Subagents = []agentcore.Subagent{agentcore.GeneralSubagent()}
	}
	return cfg, checkLimits(c)
}

func checkLimits(c *cli.Context) error {
	for _, name := range []string{"max-turns", "max-tokens", "thinking"} {
		if c.Int64(name) < 0 {
			return fmt.Errorf("--%s %d: a limit is not below 0; leave it out for the default", name, c.Int64(name))
		}
	}
	if c.Duration("max-time") < 0 {
		return fmt.Errorf("--max-time %s: a time is not below 0", c.Duration("max-time"))
	}
	return nil
}

// childEnv is our environment without the keys.
func (p *program) childEnv() []string {
	return slices.DeleteFunc(slices.Clone(p.environ), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains(secretVars(), name)
	})
}

// system is the system prompt.
func (p *program) system(flag, cwd string) (string, error) {
	if file, ok := strings.CutPrefix(flag, "@"); ok {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", fmt.Errorf("--system: %w", err)
		}
		return string(text), nil
	}
	if flag != "" {
		return flag, nil
	}
	return fmt.Sprintf(`You are an agent that works on a task in a directory of the user's machine, with tools.
Look before you change anything, change what the task needs and nothing else, and check your work.
Nobody can answer questions while you work: decide, and say what you decided.
When you are done, say shortly what you did and what is left.

Working directory: %s
Date: %s`, cwd, p.now().Format(time.DateOnly)), nil
}

// hookOptions are what hooks are told of us, and what they must not see.
func (p *program) hookOptions(sess *session.Session) hook.Options {
	return hook.Options{ProjectDir: sess.CWD(), Env: p.environ, Hide: secretVars(), Entrypoint: entrypointOf(p.wake),
		EnvFile: func(string) string { return envFile(sess) }}
}

// envFile is where SessionStart hooks leave variables for commands.
func envFile(sess *session.Session) string { return filepath.Join(filepath.Dir(sess.Path()), "env.sh") }

// sessionEnv is what commands of the agent, such as stophook status, know their
// session by, and what the hooks left for them.
func (p *program) sessionEnv(sess *session.Session) (map[string]string, error) {
	left, skipped, err := hook.ReadEnvFile(envFile(sess))
	if err != nil {
		return nil, err
	}
	for _, line := range skipped {
		p.log.Warnf("%s: not understood and left out: %s", envFile(sess), line)
	}
	env := map[string]string{}
	for _, kv := range append(left, hook.SessionEnv(p.hookOptions(sess), sess.ID(), "agentcore")...) {
		name, value, _ := strings.Cut(kv, "=")
		env[name] = value
	}
	return env, nil
}
