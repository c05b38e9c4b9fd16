package transcript

import (
	"slices"
	"time"
)

// memo keeps what the windows of one walk learn of single rows, so that a row is
// loaded, checked and parsed once however many moments are asked about. What it
// answers does not depend on who asked first. Not safe for concurrent use.
type memo struct {
	slots []*memoRow // by entry.id, from base on; nil until somebody asks
	base  uint32
	// reader loads the rows, whichever window asks for one: they share its block.
	reader *window
}

// memoRow is what is known of one row.
type memoRow struct {
	asked  asked
	ok     bool // the row is JSON
	box    bool
	start  start
	row    row
	link   link
	result resultHead
	calls  []callHead
	// receipt is the task that the row opens; nil when it opens none.
	receipt *task
}

// asked says which parts of a memoRow have been worked out.
type asked uint8

const (
	askedRow asked = 1 << iota
	askedBox
	askedStart
	askedLink
	askedResult
	askedCalls
	askedReceipt
)

// resultHead is what resultRow told.
type resultHead struct {
	id string
	at time.Time
	ok bool
}

// grow makes room for one more row and returns its id.
func (m *memo) grow() uint32 {
	m.slots = append(m.slots, nil)
	return m.base + uint32(len(m.slots)) - 1
}

// forget drops the oldest n rows.
func (m *memo) forget(n int) {
	m.slots = slices.Delete(m.slots, 0, n)
	m.base += uint32(n)
}

// about returns the row's slot, and whether the part has to be worked out: then it
// counts as such from now on.
func (m *memo) about(e entry, what asked) (s *memoRow, missing bool) {
	p := &m.slots[e.id-m.base]
	if *p == nil {
		*p = new(memoRow)
	}
	s, missing = *p, (*p).asked&what == 0
	s.asked |= what
	return s, missing
}

func (m *memo) parsed(e entry) (row, bool) {
	s, missing := m.about(e, askedRow)
	if missing {
		s.row, s.ok = m.reader.parse(e)
	}
	return s.row, s.ok
}

func (m *memo) resultOf(e entry) (string, time.Time, bool) {
	s, missing := m.about(e, askedResult)
	if missing {
		s.result.id, s.result.at, s.result.ok = resultRow(m.reader.row(e))
	}
	return s.result.id, s.result.at, s.result.ok
}

func (m *memo) holdsBox(e entry) bool {
	s, missing := m.about(e, askedBox)
	if missing {
		s.box = m.reader.holdsBox(e)
	}
	return s.box
}

func (m *memo) linkOf(e entry) link {
	s, missing := m.about(e, askedLink)
	if missing {
		s.link = m.reader.readLink(e)
	}
	return s.link
}

func (m *memo) startOf(r row) start {
	s, missing := m.about(r.entry, askedStart)
	if missing {
		s.start = startOf(r)
	}
	return s.start
}

func (m *memo) callsOf(w *window, e entry) []callHead {
	s, missing := m.about(e, askedCalls)
	if !missing && s.ok {
		w.known = true
		return s.calls
	}
	if r, ok := w.decode(e); ok && r.assistant() { // decode counts a broken row for every window
		s.calls = callHeads(r)
	}
	return s.calls
}

// receiptOf gives a task of its own to everybody who asks: it is changed later.
func (m *memo) receiptOf(f *fold, r row) *task {
	s, missing := m.about(r.entry, askedReceipt)
	if missing {
		s.receipt = f.receipt(r)
	}
	if s.receipt == nil {
		return nil
	}
	t := *s.receipt
	return &t
}
