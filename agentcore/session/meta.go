package session

// Meta is what is known of a session beside its conversation. Empty fields are
// not written.
type Meta struct {
	ID             string // of the session; empty in Create: a new one
	AgentID        string // of a subagent's thread
	CWD            string
	Model          string
	Entrypoint     string // cli, sdk-cli, …; empty: agentcore
	GitBranch      string
	PermissionMode string
	Title          string // of the session; of a subagent: what it is for
	AgentType      string // of a subagent
	ForkOf         string // the session that this one began as a copy of
}
