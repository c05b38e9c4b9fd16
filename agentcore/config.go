package agentcore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/session"
	"github.com/stophook/stophook/agentcore/task"
	"github.com/stophook/stophook/agentcore/tool"
	"github.com/stophook/stophook/execctx"
)

// Config is what an agent is made of. Model and Session are required.
type Config struct {
	Model     model.Model
	ModelName string // as the API knows it; empty: the adapter's own
	System    string // the system prompt

	// Session is where everything is recorded. It stays the caller's: Destroy does
	// not close it.
	Session *session.Session

	Tools []tool.Tool
	// Subagents are the kinds that the spawn tool offers; with none there is no such
	// tool. See [GeneralSubagent].
	Subagents []Subagent

	// Gate decides about each call (RT-33); nil allows all of them. What it, or a
	// hook, wants to have asked is answered by Ask; with a nil Ask it is denied. Both
	// are called from the goroutines of calls, several at once.
	Gate tool.Gate
	Ask  tool.Asker
	// PermissionMode is the word for it that hooks are told; empty: none.
	PermissionMode string

	// Exec is where tools run; nil: in no context, which is enough for tools that
	// bring their own. A handle is made at the first call of a tool, as Spawn says,
	// and destroyed with the agent. Handle is one of the host's: it is used instead
	// and not destroyed (D-31).
	Exec   execctx.ExecutionContext
	Spawn  execctx.SpawnConfig
	Handle *execctx.Handle
	// Env is asked for more variables of commands when a handle is made, which is
	// after the SessionStart hooks; nil: none but those of Spawn. What it reads, such
	// as the hooks' environment file (hook.ReadEnvFile), is the caller's affair.
	Env   func() (map[string]string, error)
	Paths *tool.Paths // nil: everything below the working directory

	// Interactive says that somebody wakes the agent when a task ends, as WaitTasks is
	// for. Else it is headless: it is told to collect its tasks before it ends, and
	// reminded once (D-04).
	Interactive bool
	// Sweep runs the listing of tasks at a run's start, for hosts that journal it as
	// one side effect (EX-82); nil: list is called.
	Sweep func(ctx context.Context, list func(context.Context) ([]execctx.TaskEntry, error)) ([]execctx.TaskEntry, error)
	// OnTask is told the end of a task at once, from any goroutine, for the banner of a
	// host with a screen; what it was told is no event of a run any more (D-51).
	OnTask func(task.Event)

	Bus      *hook.Bus      // nil: nobody listens
	Commands *hook.Commands // nil: no command hooks

	Behavior Behavior
	// Prices by the model's name, for cost and MaxCostUSD. A model without a price
	// costs nothing, and the result says so.
	Prices map[string]model.Price

	Now   func() time.Time // nil: time.Now
	NewID func() string    // nil: session.NewUUID. Called from the run's goroutines
	// Warn hears of what went wrong beside the work: failing hooks, handles that
	// could not be destroyed. Nil: only events tell. Called from any goroutine.
	Warn func(message string)
}

func (c Config) withDefaults() (Config, error) {
	if c.Model == nil {
		return c, errors.New("agentcore: Config.Model is missing")
	}
	if c.Session == nil {
		return c, errors.New("agentcore: Config.Session is missing: make one with session.Store.Create or Open")
	}
	if c.Handle != nil && c.Exec == nil {
		return c, errors.New("agentcore: Config.Handle is given without the context that it belongs to, Config.Exec")
	}
	seen := map[string]bool{}
	for _, s := range c.Subagents {
		if s.Name == "" || seen[s.Name] {
			return c, fmt.Errorf("agentcore: Config.Subagents: the name %q is empty or there twice", s.Name)
		}
		seen[s.Name] = true
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.NewID == nil {
		c.NewID = session.NewUUID
	}
	if c.Warn == nil {
		c.Warn = func(string) {}
	}
	c.Behavior = c.Behavior.withDefaults()
	return c, nil
}
