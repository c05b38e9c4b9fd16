package transcript

import (
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// row is one decoded row. Field names are matched exactly: a decoder that
// ignores case would accept look-alike keys (D-43).
type row struct {
	gjson.Result
	entry
	pos Position
	top top
}

// top are the members that every question begins at, found in one walk.
type top struct {
	uuid, timestamp, typ, sidechain, message gjson.Result
}

// Get finds a value as gjson does, without walking the row again for the members
// of [top].
func (r row) Get(path string) gjson.Result {
	switch path {
	case "uuid":
		return r.top.uuid
	case "timestamp":
		return r.top.timestamp
	case "type":
		return r.top.typ
	case "isSidechain":
		return r.top.sidechain
	case "message":
		return r.top.message
	case "message.content":
		return r.top.message.Get("content")
	}
	return r.Result.Get(path)
}

// newRow walks the members of a row once. Of equal keys the first counts, as it
// does for gjson.
func newRow(s string) row {
	r := row{Result: gjson.Parse(s)}
	r.Result.ForEach(func(k, v gjson.Result) bool {
		var to *gjson.Result
		switch k.Str {
		case "uuid":
			to = &r.top.uuid
		case "timestamp":
			to = &r.top.timestamp
		case "type":
			to = &r.top.typ
		case "isSidechain":
			to = &r.top.sidechain
		case "message":
			to = &r.top.message
		}
		if to != nil && !to.Exists() {
			*to = v
		}
		return true
	})
	return r
}

// decode loads and checks one row. Rows that are not whole JSON objects are
// counted as bad once and yield ok=false.
func (w *window) decode(e entry) (row, bool) {
	r, ok := w.parsed(e)
	if !ok {
		if w.validate == nil && !w.broken[e.off] { // else it is counted already
			if w.broken == nil {
				w.broken = map[int64]bool{}
			}
			w.broken[e.off] = true
			w.bad++
			w.rows--
		}
		return row{}, false
	}
	if e.class == classUnknown || e.class == classAssistant {
		w.known = w.known || r.class != classOther
	}
	return r, true
}

// parsed is the row, from the memo when windows share one.
func (w *window) parsed(e entry) (row, bool) {
	if w.memo != nil {
		return w.memo.parsed(e)
	}
	return w.parse(e)
}

func (w *window) parse(e entry) (row, bool) {
	s, ok := w.load(e)
	if !ok {
		return row{}, false
	}
	r := newRow(s)
	r.entry = e
	r.pos = Position{Offset: e.off, UUID: strings.Clone(r.str("uuid")), Time: parseTime(r.Get("timestamp"))}
	if r.class == classUnknown || r.class == classAssistant { // the head may have seen the role only
		r.class = classOf([]byte(r.str("type")))
	}
	return r, true
}

// assistant tells the rows that may be the main agent's own.
func (e entry) assistant() bool {
	return !e.side && (e.class == classAssistant || e.class == classUnknown)
}

// assistant tells whether the row is the main agent's own.
func (r row) assistant() bool { return r.class == classAssistant && !r.sidechain() }

// str returns a string field, and "" when it is missing or of another type.
func (r row) str(path string) string { return str(r.Get(path)) }

func str(v gjson.Result) string {
	if v.Type != gjson.String {
		return ""
	}
	return v.Str
}

func isTrue(v gjson.Result) bool { return v.Type == gjson.True }

// parseTime reads an RFC 3339 instant with up to nine digits of fraction and any
// offset; anything else is the zero time.
func parseTime(v gjson.Result) time.Time {
	if v.Type != gjson.String {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339Nano, v.Str)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// sidechain tells a subagent's row.
func (r row) sidechain() bool { return isTrue(r.Get("isSidechain")) }

// blocks returns message.content as blocks; a plain string is one text block.
func (r row) blocks() []gjson.Result {
	c := r.Get("message.content")
	if c.IsArray() {
		return c.Array()
	}
	return nil
}

// text joins the text of a row's message.
func (r row) text() string {
	m := r.Get("message")
	if m.Type == gjson.String {
		return m.Str
	}
	c := m.Get("content")
	if c.Type == gjson.String {
		return c.Str
	}
	var parts []string
	for _, b := range r.blocks() {
		if b.Type == gjson.String {
			parts = append(parts, b.Str)
		} else if str(b.Get("type")) == "text" {
			parts = append(parts, str(b.Get("text")))
		}
	}
	return strings.Join(parts, "\n")
}

// results returns the tool_result blocks of a user row.
func (r row) results() []gjson.Result {
	var out []gjson.Result
	for _, b := range r.blocks() {
		if str(b.Get("type")) == "tool_result" {
			out = append(out, b)
		}
	}
	return out
}
