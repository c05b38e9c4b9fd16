package transcript

import (
	"maps"
	"time"
)

// memo keeps what the windows of one walk read of single rows, by offset, so that
// a row is loaded, checked and parsed once however many moments are asked about.
// What it answers does not depend on who asked first. Not safe for concurrent use.
type memo struct {
	rows    map[int64]parsedRow
	results map[int64]resultHead
	boxes   map[int64]bool
}

// parsedRow is the outcome of parsing one row; ok is false for no JSON.
type parsedRow struct {
	row
	ok bool
}

// resultHead is what resultRow told.
type resultHead struct {
	id string
	at time.Time
	ok bool
}

func newMemo() *memo {
	return &memo{rows: map[int64]parsedRow{}, results: map[int64]resultHead{}, boxes: map[int64]bool{}}
}

func (m *memo) row(w *window, e entry) (row, bool) {
	p, seen := m.rows[e.off]
	if !seen {
		p.row, p.ok = w.parse(e)
		m.rows[e.off] = p
	}
	return p.row, p.ok
}

func (m *memo) result(w *window, e entry) (string, time.Time, bool) {
	h, seen := m.results[e.off]
	if !seen {
		h.id, h.at, h.ok = resultRow(w.row(e))
		m.results[e.off] = h
	}
	return h.id, h.at, h.ok
}

func (m *memo) box(w *window, e entry) bool {
	has, seen := m.boxes[e.off]
	if !seen {
		has = w.holdsBox(e)
		m.boxes[e.off] = has
	}
	return has
}

// forget drops the rows before an offset.
func (m *memo) forget(before int64) {
	maps.DeleteFunc(m.rows, func(off int64, _ parsedRow) bool { return off < before })
	maps.DeleteFunc(m.results, func(off int64, _ resultHead) bool { return off < before })
	maps.DeleteFunc(m.boxes, func(off int64, _ bool) bool { return off < before })
}
