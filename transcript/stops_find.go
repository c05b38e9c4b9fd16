package transcript

import (
	"bytes"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// finder finds the stops of a transcript while its rows go by. It remembers the
// last assistant rows, and waits for the row that tells what became of them.
type finder struct {
	*window
	tape  *tape
	owner ownership
	each  func(*Stop, *Moment) error

	run    []runRow        // assistant rows since the last result or prompt, the latest ones
	open   Stop            // what is known already of the stop behind the last of run
	active bool            // a hook held the turn, and no prompt has come since
	prompt string          // promptId of the latest user row
	first  time.Time       // of the file's first row
	uuids  map[string]bool // of final rows: a resumed host may append a row again
}

// runRow is an assistant row, with what was known when it came.
type runRow struct {
	entry
	line, bad int
	prompt    string
}

// maxRun bounds the rows of one message that are remembered.
const maxRun = 64

// entry takes the next row of the index. line are its bytes, or the last of them.
func (f *finder) entry(e entry, line []byte) error {
	if e.side {
		return nil
	}
	switch e.class {
	case classAssistant:
		return f.assistant(e)
	case classUser:
		return f.user(e, line)
	case classSystem:
		if len(f.run) > 0 {
			f.system(e)
		}
	case classAttach:
		if len(f.run) > 0 && bytes.Contains(f.peek(e), []byte(`"hook_`)) {
			f.attachment(e)
		}
	case classUnknown:
		r, ok := f.decode(e)
		if !ok || r.sidechain() {
			return nil
		}
		e.class = r.class
		switch r.class {
		case classAssistant, classUser, classSystem, classAttach:
			return f.entry(e, line)
		}
	}
	return nil
}

// assistant begins or goes on with a message. What stood before it was no stop,
// unless that has been proved already.
func (f *finder) assistant(e entry) error {
	var err error
	if f.open.Sign != "" {
		err = f.settle()
	}
	if len(f.run) == maxRun {
		f.run = append(f.run[:0], f.run[1:]...)
	}
	f.run = append(f.run, runRow{entry: e, line: f.tape.seen.Lines, bad: f.tape.bad, prompt: f.prompt})
	return err
}

// user ends a run: results and interrupts without a stop, prompts with one.
func (f *finder) user(e entry, line []byte) error {
	if id := f.promptID(e, line); id != "" {
		defer func() { f.prompt = id }() // the stop before it belongs to the prompt before
	}
	if e.shape == shapeResult {
		return f.drop()
	}
	r, ok := f.decode(e)
	if !ok || r.sidechain() {
		return nil
	}
	if len(r.results()) > 0 || r.Get("toolUseResult").Exists() {
		return f.drop()
	}
	switch s := f.startOf(r); s {
	case startRemediation:
		if len(f.run) == 0 {
			f.active = true
			break
		}
		f.blocked(strings.TrimSpace(strings.TrimPrefix(r.text(), "Stop hook feedback:")))
	case startNone:
		if strings.HasPrefix(r.text(), "[Request interrupted by user") {
			return f.drop()
		}
	default:
		var err error
		if len(f.run) > 0 {
			if f.open.Sign == "" && !(s == startHuman && f.rewound(r)) {
				f.open.Sign = SignPrompt
				if s == startNotification {
					f.open.Sign = SignNotification
				}
			}
			err = f.drop()
		}
		f.active = false
		return err
	}
	return nil
}

// drop ends the run, with a stop only when one is proved.
func (f *finder) drop() (err error) {
	if f.open.Sign != "" {
		err = f.settle()
	}
	f.run = f.run[:0]
	return err
}

// system reads the host's own notes of a turn's end.
func (f *finder) system(e entry) {
	r, ok := f.decode(e)
	if !ok || r.sidechain() {
		return
	}
	switch r.str("subtype") {
	case "stop_hook_summary":
		f.hooked()
	case "turn_duration":
		if f.open.Sign == "" {
			f.open.Sign = SignTurnDuration
		}
	}
}

// hooked notes that Stop hooks ran; until one is known to have held the turn,
// they let it end.
func (f *finder) hooked() {
	f.open.Sign = SignHook
	if f.open.Answer == "" {
		f.open.Answer = StopPassed
	}
}

// attachment reads what a Stop hook left as an attachment.
func (f *finder) attachment(e entry) {
	r, ok := f.decode(e)
	if !ok || r.sidechain() || r.str("attachment.hookEvent") != "Stop" {
		return
	}
	if r.str("attachment.type") != "hook_blocking_error" {
		f.hooked()
		return
	}
	reason := r.str("attachment.blockingError.blockingError")
	if reason == "" {
		reason = r.str("attachment.blockingError")
	}
	f.blocked(strings.TrimSpace(reason))
}

// blocked notes that a hook held the turn. The host writes its reason twice.
func (f *finder) blocked(reason string) {
	f.open.Sign, f.open.Answer = SignHook, StopBlocked
	switch {
	case f.open.Reason == "":
		f.open.Reason = strings.Clone(reason)
	case !strings.Contains(f.open.Reason, reason):
		f.open.Reason += "\n" + reason
	}
}

// end takes the end of the file: a message that is complete and that nothing
// follows is a stop.
func (f *finder) end() error {
	if len(f.run) == 0 {
		return nil
	}
	if f.open.Sign == "" {
		f.open.Sign = SignEnd
	}
	return f.settle()
}

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
	if !f.owner.owns(r) || s.Time.Before(f.first) {
		f.tape.seen.Copied++
		return nil
	}
	return f.each(&s, &Moment{tape: f.tape, stop: &s})
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
