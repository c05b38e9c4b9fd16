package session

import "fmt"

// timeLayout is RFC 3339 with milliseconds, in UTC, as the client writes it.
const timeLayout = "2006-01-02T15:04:05.000Z"

// batch is a group of rows that go out with one write.
type batch struct {
	line
	t    *Thread
	now  string
	leaf string // the row that the next one hangs below
	uuid string // of the row being built, else of the last one
	rows []int  // where rows end, newline included
	err  error  // of the first row that could not be built
}

func (t *Thread) batch() *batch {
	return &batch{line: line{t.spare[:0]}, t: t, now: t.opts.Now().UTC().Format(timeLayout), leaf: t.state.leaf}
}

// talk begins a row of the conversation: everything short that readers look for
// comes first, so that they need not read the whole row.
func (b *batch) talk(typ, subtype string) {
	b.talkBelow(typ, subtype, b.leaf)
}

func (b *batch) talkBelow(typ, subtype, parent string) {
	b.b = append(b.b, '{')
	b.str("type", typ)
	b.opt("subtype", subtype)
	b.uuid = b.t.opts.NewID()
	b.str("uuid", b.uuid)
	if parent == "" {
		b.null("parentUuid")
	} else {
		b.str("parentUuid", parent)
	}
	b.str("sessionId", b.t.id)
	b.str("timestamp", b.now)
	b.flag("isSidechain", b.t.agent != "")
	b.opt("agentId", b.t.agent)
	b.leaf = b.uuid
}

// place adds what the client says in every row of where it runs.
func (b *batch) place() {
	m := &b.t.state.meta
	b.str("userType", "external")
	b.opt("entrypoint", m.Entrypoint)
	b.opt("cwd", m.CWD)
	b.str("version", b.t.opts.Version)
	b.opt("gitBranch", m.GitBranch)
}

// note begins a row that is no part of the conversation.
func (b *batch) note(typ string) {
	b.b = append(b.b, '{')
	b.str("type", typ)
}

// end finishes a row.
func (b *batch) end(err error) {
	if err != nil && b.err == nil {
		b.err = err
	}
	b.b = append(b.b, '}', '\n')
	b.rows = append(b.rows, len(b.b))
}

// put writes the rows and then lets the thread know them, as they are in the
// file: also those that came whole before a write failed.
func (b *batch) put() error {
	if b.err != nil {
		return fmt.Errorf("session: build row: %w", b.err)
	}
	from := 0
	for _, to := range b.rows {
		row := b.b[from : to-1]
		if len(row) > b.t.opts.MaxRow {
			return &RowTooLongError{Size: len(row), Max: b.t.opts.MaxRow}
		}
		if tooDeep(row) {
			return fmt.Errorf("session: build row: it is nested more than %d levels deep", maxDepth)
		}
		from = to
	}
	n, err := b.t.log.append(b.b)
	from = 0
	for _, to := range b.rows {
		if to-1 > n { // a row without its newline is whole
			break
		}
		b.t.state.apply(b.b[from : to-1])
		from = to
	}
	b.t.spare = nil
	if cap(b.b) <= maxSpare {
		b.t.spare = b.b[:0]
	}
	return err
}

// maxSpare bounds the buffer that is kept from one append to the next.
const maxSpare = 64 << 10
