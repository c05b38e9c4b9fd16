package hook

import (
	"context"
	"sync"
	"time"

	"github.com/stophook/stophook/policy/hookio"
)

// Options are what [Commands] needs to know of the host. The zero value runs hooks
// with an empty environment in the current folder.
type Options struct {
	// ProjectDir is CLAUDE_PROJECT_DIR, and where hooks run when a payload's cwd
	// is no folder (any more).
	ProjectDir string
	// Env is the environment that hooks inherit, usually os.Environ().
	Env []string
	// Hide are names of variables that hooks never see: the keys of model APIs.
	Hide []string
	// Entrypoint is CLAUDE_CODE_ENTRYPOINT: cli with a person at a terminal;
	// empty: sdk-cli.
	Entrypoint string
	// Attended is CLAUDE_CODE_SESSION_ATTENDED: somebody can wake the session.
	Attended bool
	// Agent is AI_AGENT in hooks, such as agentcore_1-0-0_harness; empty: not set.
	Agent string
	// PID is CLAUDE_PID, the host's process; 0: not set.
	PID int
	// EnvFile gives the file of CLAUDE_ENV_FILE for a session's SessionStart
	// hooks ([ReadEnvFile] reads what they left there); nil or empty: not set.
	EnvFile func(sessionID string) string

	// Aliases are Claude Code's names of native tools. Nil: [ClaudeNames]. A
	// matcher fits either name, and the payload has Claude Code's; an empty map
	// leaves everything as it is.
	Aliases map[string]Alias

	// Shell runs a hook's command line, which comes as its last argument. Nil:
	// /bin/sh -c whatever SHELL says (claude-code 2.1.332, measured), on Windows
	// bash -c. Hooks with a "shell" of their own have that.
	Shell []string
	// Timeout of hooks that name none; 0: as Claude Code has it, 600 seconds, 30
	// at UserPromptSubmit, 1.5 at SessionEnd.
	Timeout time.Duration

	Now func() time.Time // nil: time.Now
}

// Commands runs the command hooks of a person's settings, as Claude Code runs them.
// It is safe for concurrent use.
type Commands struct {
	settings *Settings
	o        Options
	aliases  map[string]Alias
	env      []string // without what is hidden, and without what a call sets
	shell    []string
}

// NewCommands makes a runner of settings. Nil settings have no hooks.
func NewCommands(s *Settings, o Options) *Commands {
	c := &Commands{settings: s, o: o, aliases: o.Aliases, shell: o.Shell}
	if c.aliases == nil {
		c.aliases = ClaudeNames()
	}
	c.env = inherited(o.Env, o.Hide)
	if len(c.shell) == 0 {
		c.shell = []string{defaultShell, "-c"}
	}
	if c.o.Now == nil {
		c.o.Now = time.Now
	}
	return c
}

// Has tells whether a hook of this event is configured at all, so that a caller can
// spare itself the making of a payload. A nil Commands has none.
func (c *Commands) Has(event hookio.EventName) bool {
	return c != nil && c.settings != nil && len(c.settings.byEvent[event]) > 0
}

// Run calls all hooks that match the payload, in parallel, and says what they say
// together. p.ToolName is the tool's native name; hooks get Claude Code's.
//
// A hook that crashes, runs out of time or prints what is no answer is a [Failure] of
// the outcome and decides nothing, but with "onFailure": "block" in its settings. The
// error is the context's end, or a payload that cannot be written. At the context's
// end every hook was killed, with all processes of its group, and the outcome has what
// was said before.
func (c *Commands) Run(ctx context.Context, p hookio.Payload) (Outcome, error) {
	if !c.Has(p.Event) {
		return Outcome{}, ctx.Err()
	}
	hooks := c.settings.matching(p.Event, c.query(&p))
	if len(hooks) == 0 || ctx.Err() != nil {
		return Outcome{}, ctx.Err()
	}
	tool := p.ToolName
	c.translate(&p)
	stdin, err := p.Encode()
	if err != nil {
		return Outcome{}, err
	}
	call := &call{commands: c, event: p.Event, stdin: stdin, env: c.environ(&p), dir: c.folder(p.CWD)}
	results := make([]Result, len(hooks))
	var all sync.WaitGroup
	for i := range hooks {
		all.Go(func() { results[i] = call.run(ctx, &hooks[i]) })
	}
	all.Wait()
	out := aggregate(p.Event, hooks, results)
	if out.UpdatedInput != nil {
		out.UpdatedInput = c.native(tool, out.UpdatedInput)
	}
	return out, ctx.Err()
}

// limit is how long a hook may take.
func (c *Commands) limit(h *configured) time.Duration {
	switch {
	case h.timeout > 0:
		return h.timeout
	case c.o.Timeout > 0:
		return c.o.Timeout
	case h.event == hookio.UserPromptSubmit:
		return 30 * time.Second
	case h.event == hookio.SessionEnd:
		return 1500 * time.Millisecond
	}
	return 10 * time.Minute
}
