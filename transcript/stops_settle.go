package transcript

import (
	"bytes"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// settle reports the stop behind the run, if its message is one that ends a turn.
func (f *finder) settle() error {
	s, last := f.open, f.run[len(f.run)-1]
	f.open = Stop{}
	s.Active = f.active
	f.active = f.active || s.Answer == StopBlocked
	r, ok := f.decode(last.entry)
	if !ok || !r.assistant() || !f.ends(r, last, s.Sign) {
		return nil
	}
	s.Line, s.PromptID = last.line, last.prompt
	s.Offset = min(last.off+int64(last.n)+1, f.size)
	s.FinalAt = f.message(r)[0].off
	s.UUID, s.Time, s.FinalText = r.pos.UUID, r.pos.Time, strings.Clone(r.text())
	s.SessionID, s.CWD = strings.Clone(r.str("sessionId")), strings.Clone(r.str("cwd"))
	if s.Time.IsZero() {
		s.Time = f.before(last.off)
	}
	if s.UUID != "" {
		if f.uuids[s.UUID] {
			return nil
		}
		f.uuids[s.UUID] = true
	}
	// A fork writes a row of its own first, and what it copies, which is older,
	// behind it.
	if !f.owns(r) || s.Time.Before(f.first) {
		f.tape.seen.Copied++
		return nil
	}
	return f.each(&s, &Moment{tape: f.tape, stop: &s})
}

// owns tells this session's rows from those of another. What the end of the file
// says is only read when the file's name does not settle it.
func (f *finder) owns(r row) bool {
	if id := fileSession(f.tape.path); id != "" && id == r.str("sessionId") {
		return !r.Get("forkedFrom").Exists()
	}
	if f.owner == nil {
		session, _ := last(f.tape.r, f.tape.size, false)
		owner := newOwnership("", f.tape.path, session)
		f.owner = &owner
	}
	return f.owner.owns(r)
}

// ends tells whether a message can be the last of its turn.
func (f *finder) ends(r row, last runRow, sign StopSign) bool {
	if isTrue(r.Get("isApiErrorMessage")) || r.str("message.model") == "<synthetic>" {
		return false // the host's own words: no Stop hook is called for them
	}
	if sign == SignHook {
		return true
	}
	for _, part := range f.message(r) {
		if p, ok := f.decode(part.entry); ok && callsTool(p) {
			return false
		}
	}
	switch reason := r.str("message.stop_reason"); {
	case reason == "tool_use" || reason == "pause_turn":
		return false
	case reason == "" && sign == SignEnd:
		// Older hosts write no reason. Then the end of the file only counts when
		// nothing was torn off behind a text.
		return f.tape.bad == last.bad && r.text() != ""
	}
	return true
}

func callsTool(r row) bool {
	for _, b := range r.blocks() {
		if str(b.Get("type")) == "tool_use" {
			return true
		}
	}
	return false
}

// message gives the rows of the final message, which the host writes one block a
// row under one message id.
func (f *finder) message(r row) []runRow {
	at := len(f.run) - 1
	for id := r.str("message.id"); at > 0 && id != ""; at-- {
		p, ok := f.decode(f.run[at-1].entry)
		if !ok || p.str("message.id") != id {
			break
		}
	}
	return f.run[at:]
}

// rewound tells that a prompt hangs above a message that does not say that it is
// complete: the user had cut it off and gone back. Where a link is missing it is
// not told.
func (f *finder) rewound(prompt row) bool {
	last := f.run[len(f.run)-1]
	if r, ok := f.decode(last.entry); !ok || r.str("message.stop_reason") != "" {
		return false
	}
	l := linkOf(prompt.Raw)
	if l.root {
		return true
	}
	rows := f.tape.entries
	for i := len(rows) - 2; l.parent != "" && i >= max(0, len(rows)-linkLookback); i-- {
		if f.link(rows[i]).uuid == l.parent {
			return rows[i].off < last.off
		}
	}
	return false
}

// linkLookback bounds how many rows are looked at to find a prompt's parent.
const linkLookback = 256

// before is the latest row's time that can be told before an offset.
func (f *finder) before(off int64) time.Time {
	rows := f.tape.entries[:f.tape.entryAt(off)]
	for i := len(rows) - 1; i >= max(0, len(rows)-linkLookback); i-- {
		if r, ok := f.decode(rows[i]); ok && !r.pos.Time.IsZero() {
			return r.pos.Time
		}
	}
	return f.first
}

// promptID reads the host's key of the prompt out of a row's head.
func (f *finder) promptID(e entry, line []byte) string {
	head := line[:min(len(line), headLimit)]
	if len(line) < int(e.n) {
		head = f.peek(e)
	}
	_, rest, ok := bytes.Cut(head, []byte(`"promptId":"`))
	if !ok {
		return ""
	}
	id, _, ok := bytes.Cut(rest, []byte(`"`))
	if !ok || len(id) > 64 {
		return ""
	}
	return string(id)
}

// begins notes the time of the file's first row.
func (f *finder) begins(line []byte) {
	f.first = parseTime(gjson.GetBytes(trimPadding(line), "timestamp"))
}
