package session

import (
	"errors"

	"github.com/stophook/stophook/agentcore/model"
)

var errNotYet = errors.New("session: not built yet")

// Thread is one conversation and its file, held for writing until Close. It is
// not safe for concurrent use.
type Thread struct {
	meta Meta
	path string
}

// ID is the session's id; a subagent's thread has that of its session.
func (t *Thread) ID() string { return t.meta.ID }

// AgentID is the subagent's id; empty in the main thread.
func (t *Thread) AgentID() string { return t.meta.AgentID }

// Path is the thread's file.
func (t *Thread) Path() string { return t.path }

// CWD is the working directory that the thread began in.
func (t *Thread) CWD() string { return t.meta.CWD }

// Meta is what is known of the thread beside its conversation.
func (t *Thread) Meta() Meta { return t.meta }

// SetMeta changes the model, the working directory and so on from here on: the
// fields that are not empty. ID and AgentID stay.
func (t *Thread) SetMeta(m Meta) error { return errNotYet }

// PromptID is the key of the latest prompt; empty before the first.
func (t *Thread) PromptID() string { return "" }

// Messages is the conversation as a model takes it: see the package comment for
// what is promised. The slice is the caller's; what blocks point to is shared
// and must not be changed.
func (t *Thread) Messages() []model.Message { return nil }

// Damage says what was found broken when the thread was opened.
type Damage struct {
	BadRows  int  // no JSON objects; a torn last one included
	LongRows int  // above Options.MaxRow
	Torn     bool // the last row has no newline
	// Unanswered are tool uses without a result: the calls of a killed run.
	Unanswered []string
}

// Damage is the zero value for a new thread.
func (t *Thread) Damage() Damage { return Damage{} }

// Close ends writing and gives the lock back. It may be called again.
func (t *Thread) Close() error { return nil }
