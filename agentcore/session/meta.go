package session

import "strings"

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

const defaultEntrypoint = "agentcore"

// metaField is one field as rows name it.
type metaField struct {
	name string
	to   *string
}

// fields are those that a row of ours can change.
func (m *Meta) fields() []metaField {
	return []metaField{
		{"cwd", &m.CWD}, {"model", &m.Model}, {"entrypoint", &m.Entrypoint}, {"gitBranch", &m.GitBranch},
		{"permissionMode", &m.PermissionMode}, {"title", &m.Title}, {"agentType", &m.AgentType}, {"forkOf", &m.ForkOf},
	}
}

// fill takes fields that are empty from another.
func (m *Meta) fill(from Meta) {
	theirs := from.fields()
	for i, f := range m.fields() {
		if *f.to == "" {
			*f.to = *theirs[i].to
		}
	}
}

// SetMeta changes the model, the working directory and so on from here on: the
// fields that are not empty. ID and AgentID stay.
func (t *Thread) SetMeta(m Meta) error { return t.putMeta(m, false) }

// putMeta writes a row of meta data; the first of a file says when it began.
func (t *Thread) putMeta(m Meta, first bool) error {
	b := t.batch()
	b.note(typeMeta)
	b.str("sessionId", t.id)
	b.opt("agentId", t.agent)
	if first {
		// Not named timestamp: readers take the first row that has one for the
		// begin of the session, and rows before it for copies.
		b.str("createdAt", b.now)
		b.str("version", t.opts.Version)
	}
	for _, f := range m.fields() {
		b.opt(f.name, strings.ToValidUTF8(*f.to, "\uFFFD"))
	}
	b.end(nil)
	return b.put()
}
