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
// Hosts other than Claude Code get the portable block or nothing (hosts section
// 0): their other keys, the person's message among them, are not built, and
// WithMessage is without effect there.
func Encode(ev *Event, a Answer, style BlockStyle) (stdout []byte, err error) {
	if ev == nil {
		ev = &Event{Host: HostClaudeCode}
	}
	return codecFor(ev.Host).encode(ev, a, style)
}

// claudeCode writes the shapes measured in claude-code section 4.
type claudeCode struct{}

func (claudeCode) field(key string) string { return key }

func (claudeCode) blockable(name EventName) bool { return name == Stop }

func (c claudeCode) encode(ev *Event, a Answer, style BlockStyle) ([]byte, error) {
	o := object{message: a.message}
	switch a.kind {
	case KindBlock:
		if !c.blockable(ev.Name) {
			return nil, refused(ev, a, ErrCannotBlock)
		}
		if style == StyleFeedback {
			o.specific(ev.Name, "additionalContext", a.text)
		} else {
			o.decision(a.text)
		}
	case KindDeny:
		if ev.Name != PreToolUse {
			return nil, refused(ev, a, ErrCannotBlock)
		}
		o.deny(a.text)
	case KindContext:
		if ev.Name != SessionStart && ev.Name != UserPromptSubmit {
			return nil, refused(ev, a, ErrNoContext)
		}
		o.specific(ev.Name, "additionalContext", a.text)
	}
	return o.bytes(), nil
}

// portable is every other host: fields under the names we know, and the one
// block shape that several hosts share.
type portable struct{ host Host }

func (p portable) field(key string) string {
	switch key {
	case "sessionId":
		return "session_id"
	case "conversation_id":
		if p.host == HostCursor {
			return "session_id"
		}
	case "transcriptPath":
		return "transcript_path"
	case "stopHookActive":
		return "stop_hook_active"
	case "prompt_response":
		return "last_assistant_message"
	}
	return key
}

func (p portable) blockable(name EventName) bool {
	switch p.host {
	case HostCodex, HostQwen:
		return name == Stop
	case HostCopilot:
		return name == Stop || name == "agentStop"
	case HostGemini:
		return name == "AfterAgent"
	}
	return false
}

func (p portable) encode(ev *Event, a Answer, _ BlockStyle) ([]byte, error) {
	var o object
	switch a.kind {
	case KindBlock:
		if !p.blockable(ev.Name) {
			return nil, refused(ev, a, ErrCannotBlock)
		}
		o.decision(a.text)
	case KindDeny:
		return nil, refused(ev, a, ErrCannotBlock)
	case KindContext:
		return nil, refused(ev, a, ErrNoContext)
	}
	return o.bytes(), nil
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

func (o *object) specific(event EventName, key, text string) {
	o.buf = quote(append(o.buf, `"hookSpecificOutput":{"hookEventName":`...), string(event))
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
