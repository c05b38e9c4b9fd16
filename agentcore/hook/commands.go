package hook

import (
	"context"
	"time"

	"github.com/stophook/stophook/policy/hookio"
)

// Options are what [Commands] needs to know of the host. The zero value runs hooks
// with an empty environment in the current folder.
type Options struct {
	// ProjectDir is CLAUDE_PROJECT_DIR, and where hooks run when a payload has
	// no cwd.
	ProjectDir string
	// Env is the environment that hooks inherit, usually os.Environ().
	Env []string
	// Hide are names of variables that hooks never see: the keys of model APIs.
	// Case matters but on Windows.
	Hide []string
	// Entrypoint is CLAUDE_CODE_ENTRYPOINT: cli with a person at a terminal, else
	// sdk-cli, which is the default.
	Entrypoint string
	// Attended is CLAUDE_CODE_SESSION_ATTENDED: somebody can wake the session.
	Attended bool
	// EnvFile gives the file of CLAUDE_ENV_FILE for a session's SessionStart
	// hooks; nil or empty: the variable is not set.
	EnvFile func(sessionID string) string

	// Aliases gives the client's name of a native tool: Bash for shell. Nil:
	// [ClaudeNames]. Matchers fit either name; the payload has the client's.
	Aliases map[string]string

	// Shell is the command line that runs a hook, the hook's text comes last. Nil:
	// sh -c, on Windows bash -c where it is found.
	Shell []string
	// Timeout of hooks that name none; 0: the client's default of the event.
	Timeout time.Duration
	// MaxParallel hooks of one call run at a time; 0: all of them.
	MaxParallel int

	Now func() time.Time // nil: time.Now
}

// Commands runs the command hooks of a person's settings, as Claude Code runs them.
// It is safe for concurrent use.
type Commands struct {
	settings *Settings
	o        Options
}

// NewCommands makes a runner of settings. Nil settings have no hooks.
func NewCommands(s *Settings, o Options) *Commands { return &Commands{settings: s, o: o} }

// Has tells whether a hook of this event is configured at all, so that a caller can
// spare itself the making of a payload. A nil Commands has none.
func (c *Commands) Has(event hookio.EventName) bool {
	return c != nil && c.settings != nil && len(c.settings.groups[event]) > 0
}

// Run calls all hooks that match the payload, in parallel, and says what they say
// together. p.ToolName is the tool's native name; hooks get the client's. A hook that
// fails is a [Failure] of the outcome. The error is the context's end, after every
// hook was killed, or a payload that cannot be written.
func (c *Commands) Run(ctx context.Context, p hookio.Payload) (Outcome, error) {
	return Outcome{}, ctx.Err()
}
