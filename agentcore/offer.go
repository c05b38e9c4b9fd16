package agentcore

import (
	"github.com/stophook/stophook/agentcore/tool"
	"github.com/stophook/stophook/execctx"
)

// offer is what the agent can do for its tools. There are no background tasks when the
// session has no folder for them, when they are switched off, when only durable ones are
// wanted and the context has none, or when it has none at all (AC-2). Commands
// can be moved where the host asked for it (D-03).
func (c Config) offer(depth int) tool.Offer {
	o := tool.Offer{Headless: !c.Interactive, Subagent: depth > 0}
	if c.Exec == nil || c.Session.TasksDir() == "" {
		return o
	}
	kind := execctx.ResolveDetachedTasks(c.Exec)
	switch {
	case c.Behavior.DisableBackground == DisableAll, kind == execctx.DetachedNone,
		c.Behavior.DisableBackground == DisableNonDurable && kind != execctx.DetachedDurable:
		return o
	}
	o.Background = true
	_, o.Kill = execctx.As[execctx.BackgroundKiller](c.Exec)
	_, waits := execctx.As[execctx.BackgroundWaiter](c.Exec)
	_, lists := execctx.As[execctx.BackgroundLister](c.Exec)
	o.Wait = waits || lists
	o.Handoff = c.Behavior.Handoff && canMove(c.Exec)
	return o
}
