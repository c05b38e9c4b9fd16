package hookio

import "fmt"

// ExitCode is the exit code beside every answer, blocks included. Claude Code
// reads the JSON on any exit code, but a 1 without it, and a 2 on some hosts and
// shells, lets the stop pass unseen (claude-code section 4, hosts section 0).
const ExitCode = 0

// BlockStyle is how Claude Code shows a block to the person. Both styles continue
// the turn under the same loop protection.
type BlockStyle string

const (
	// StyleDecision is shown as an error of the hook; every version and every
	// host that can be blocked knows it. Anything but StyleFeedback means this.
	StyleDecision BlockStyle = "decision"
	// StyleFeedback is shown as feedback. It needs Claude Code 2.1.163: an older
	// one drops it, and the gate with it.
	StyleFeedback BlockStyle = "feedback"
)

// Encode writes what the program prints to stdout, and nothing else may be
// printed there: no byte for a plain [Allow], else one JSON object and a newline.
//
// An answer that the event cannot carry is [ErrCannotBlock] or [ErrNoContext]
// with no bytes; printing none and exiting with [ExitCode] is then an allow, so
// the caller has to say aloud that its block was lost. An Allow never fails. A nil
// event stands for a payload that could not be read: only an Allow fits it, in
// Claude Code's form.
//
// Each host gets its own form of the answer (docs/hosts.md). A message of
// WithMessage is left out where the host has no key that shows it.
func Encode(ev *Event, a Answer, style BlockStyle) (stdout []byte, err error) {
	if ev == nil {
		ev = &Event{Host: HostClaudeCode}
	}
	return codecFor(ev.Host).encode(ev, a, style)
}

func refused(ev *Event, a Answer, why error) error {
	return fmt.Errorf("cannot answer %s to event %q of host %q: %w", a.kind, ev.Name, ev.Host, why)
}

// object is the one JSON object of an answer. It can only grow the keys that
// have a method here.
type object struct {
	buf     []byte
	message string
}

func (o *object) decision(reason string) {
	o.buf = quote(append(o.buf, `"decision":"block","reason":`...), reason)
}

func (o *object) deny(reason string) {
	o.buf = quote(append(o.buf, `"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":`...), reason)
	o.buf = append(o.buf, '}')
}

// pair adds one member at the top level. The key is one of ours.
func (o *object) pair(key, text string) {
	if len(o.buf) > 0 {
		o.buf = append(o.buf, ',')
	}
	o.buf = quote(append(o.buf, `"`+key+`":`...), text)
}

func (o *object) specific(event string, key, text string) {
	o.buf = quote(append(o.buf, `"hookSpecificOutput":{"hookEventName":`...), event)
	o.buf = quote(append(o.buf, `,"`+key+`":`...), text)
	o.buf = append(o.buf, '}')
}

func (o *object) bytes() []byte {
	if o.message != "" {
		if len(o.buf) > 0 {
			o.buf = append(o.buf, ',')
		}
		o.buf = quote(append(o.buf, `"systemMessage":`...), o.message)
	}
	if len(o.buf) == 0 {
		return nil
	}
	return append(append([]byte{'{'}, o.buf...), '}', '\n')
}
