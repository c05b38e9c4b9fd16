package transcript

import (
	"bytes"
	"strings"
	"time"
)

// finder finds the stops of a transcript while its rows go by. It remembers the
// last assistant rows, and waits for the row that tells what became of them.
type finder struct {
	*window
	tape  *tape
	owner *ownership // nil until somebody asks
	each  func(*Stop, *Moment) error

	run    []runRow        // assistant rows since the last result or prompt, the latest ones
	open   Stop            // what is known already of the stop behind the last of run
	active bool            // a hook held the turn, and no prompt has come since
	meta   bool            // the host wrote words of its own behind the last of run
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
		return f.assistant(e, line)
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
// unless that has been proved already, or the host put in words of its own behind
// a message that is complete.
func (f *finder) assistant(e entry, line []byte) error {
	if bytes.Contains(line, []byte(`"<synthetic>"`)) {
		if r, ok := f.decode(e); ok && r.str("message.model") == "<synthetic>" {
			if isTrue(r.Get("isApiErrorMessage")) {
				return f.drop() // what it cut off was no stop
			}
			return nil // nobody said it, and it ends nothing
		}
	}
	var err error
	if f.open.Sign == "" && f.meta && f.complete() {
		f.open.Sign = SignPrompt
	}
	if f.open.Sign != "" {
		err = f.settle()
		f.run = f.run[:0]
	}
	f.meta = false
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
		f.meta = f.meta || isTrue(r.Get("isMeta"))
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
	f.run, f.meta = f.run[:0], false
	return err
}

// complete tells whether the last message says itself that the turn ends with it.
func (f *finder) complete() bool {
	if len(f.run) == 0 {
		return false
	}
	r, ok := f.decode(f.run[len(f.run)-1].entry)
	return ok && r.str("message.stop_reason") == "end_turn"
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
