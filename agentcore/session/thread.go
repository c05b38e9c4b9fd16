package session

import (
	"fmt"
	"os"
	"slices"

	"github.com/stophook/stophook/agentcore/model"
)

// Thread is one conversation and its file, held for writing until Close. It is
// not safe for concurrent use.
type Thread struct {
	opts  *Options
	id    string
	agent string
	path  string

	log     rowLog
	state   state
	damage  Damage
	release func()
	spare   []byte // for the next batch
}

// Damage says what was found broken when the thread was opened.
type Damage struct {
	BadRows  int  // no JSON objects; a torn last one included
	LongRows int  // above Options.MaxRow
	Torn     bool // the last row has no newline
	// Unanswered are tool uses without a result: the calls of a killed run.
	Unanswered []string
}

// newThread makes a thread around its file, which is open at its end.
func newThread(opts *Options, id, agent, path string, f *os.File, release func()) *Thread {
	return &Thread{opts: opts, id: id, agent: agent, path: path, release: release,
		log: rowLog{f: f, out: f, sync: opts.Sync}, state: state{side: agent != ""}}
}

// begin writes the first row.
func (t *Thread) begin(meta Meta) error {
	if meta.Entrypoint == "" {
		meta.Entrypoint = defaultEntrypoint
	}
	return t.putMeta(meta, true)
}

// load reads what is there.
func (t *Thread) load() error {
	s := scanner{max: t.opts.MaxRow}
	if err := s.each(whole(t.log.f), t.state.apply); err != nil {
		return fmt.Errorf("session: read %s: %w", t.path, err)
	}
	t.log.torn = s.torn
	t.damage = Damage{BadRows: s.bad, LongRows: s.long, Torn: s.torn, Unanswered: t.state.fold.unanswered()}
	if t.state.meta.Entrypoint == "" {
		t.state.meta.Entrypoint = defaultEntrypoint
	}
	if s.bad+s.long > 0 {
		t.opts.Warn(fmt.Sprintf("session: %s: skipped %d broken rows and %d above %d bytes", t.path, s.bad, s.long, t.opts.MaxRow))
	}
	return nil
}

// ID is the session's id; a subagent's thread has that of its session.
func (t *Thread) ID() string { return t.id }

// AgentID is the subagent's id; empty in the main thread.
func (t *Thread) AgentID() string { return t.agent }

// Path is the thread's file.
func (t *Thread) Path() string { return t.path }

// CWD is the working directory that the thread is in.
func (t *Thread) CWD() string { return t.state.meta.CWD }

// Meta is what is known of the thread beside its conversation.
func (t *Thread) Meta() Meta {
	m := t.state.meta
	m.ID, m.AgentID = t.id, t.agent
	return m
}

// PromptID is the key of the latest prompt; empty before the first.
func (t *Thread) PromptID() string { return t.state.prompt }

// Leaf is the uuid of the latest row of the conversation: what [Store.Fork]
// takes as the place to fork at. Empty before the first.
func (t *Thread) Leaf() string { return t.state.leaf }

// Messages is the conversation as a model takes it: see the package comment for
// what is promised. The slice is the caller's; what blocks point to is shared
// and must not be changed.
func (t *Thread) Messages() []model.Message { return t.state.fold.messages() }

// Borrow is Messages without a copy of the conversation: the slice and what it holds
// are the thread's, must not be changed, and count until the next call of Borrow.
func (t *Thread) Borrow() []model.Message { return t.state.fold.borrow() }

// Damage is what was found when the thread was opened; the zero value for a new
// one.
func (t *Thread) Damage() Damage {
	d := t.damage
	d.Unanswered = slices.Clone(d.Unanswered)
	return d
}

// Close ends writing and gives the lock back. It may be called again.
func (t *Thread) Close() error {
	err := t.log.close()
	if t.release != nil {
		t.release()
		t.release = nil
	}
	if err != nil {
		return fmt.Errorf("session: close %s: %w", t.path, err)
	}
	return nil
}
