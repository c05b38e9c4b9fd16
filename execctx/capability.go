package execctx

// DetachedTasks says what becomes of background tasks (EX-20).
type DetachedTasks string

// The three values of the capability. A durable context's tasks survive the
// death of the process that launched them.
const (
	DetachedNone            DetachedTasks = "none"
	DetachedProcessLifetime DetachedTasks = "process-lifetime"
	DetachedDurable         DetachedTasks = "durable"
)

// Capabilities says what a context can do beyond what its methods show.
type Capabilities struct {
	// DetachedTasks is empty in a context that does not say; ask
	// [ResolveDetachedTasks], which infers it.
	DetachedTasks DetachedTasks `json:"detachedTasks,omitempty"`
	// Push: exits are told through [LaunchRequest.OnExit]. A durable context
	// never pushes (EX-80); its exits are found by listing or waiting.
	Push bool `json:"push"`
}

// ResolveDetachedTasks gives the capability of c. A context that does not state
// it is process-lifetime when it can launch, and none otherwise (EX-21). A
// statement that is none of the three values counts as none.
func ResolveDetachedTasks(c ExecutionContext) DetachedTasks {
	if c == nil {
		return DetachedNone
	}
	switch stated := c.Capabilities().DetachedTasks; stated {
	case DetachedNone, DetachedProcessLifetime, DetachedDurable:
		return stated
	case "":
		if _, ok := As[BackgroundExecutor](c); ok {
			return DetachedProcessLifetime
		}
	}
	return DetachedNone
}
