package session

import "path/filepath"

// Session is the main thread of an agent, held for writing until Close.
//
// It is not safe for concurrent use: one goroutine owns it (RT-1). Subagents'
// threads have owners of their own and may be written at the same time.
type Session struct {
	*Thread
	store *Store
}

// TasksDir is where the session's tasks write their output (AC-5). It exists.
func (s *Session) TasksDir() string { return s.store.TasksDir(s.ID()) }

// SubagentPath is where a subagent's thread is kept.
func (s *Session) SubagentPath(agentID string) string {
	return filepath.Join(s.store.Dir(s.ID()), "subagents", "agent-"+agentID+".jsonl")
}

// Subagent begins the thread of a subagent, or takes it up where it ended. Its
// rows are marked as a sidechain's and carry the agent's id. Empty fields of
// meta are the session's. It may be called from any goroutine; whoever calls
// owns the thread and closes it.
func (s *Session) Subagent(agentID string, meta Meta) (*Thread, error) {
	return nil, errNotYet
}
