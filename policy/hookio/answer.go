package hookio

// BlankReason is what the agent is told when a rule blocks without a text. A
// block whose reason is blank is one that the host or the agent cannot act on, and
// dropping it would lose the gate; so it is kept, and says what is wrong.
const BlankReason = "stophook refused this because a rule asked for it, but the rule gives no reason. " +
	"Tell the person that the rule's text is blank and has to be written."

// Kind is what an [Answer] does.
type Kind uint8

// The four things a hook can say. KindAllow is the zero value.
const (
	KindAllow   Kind = iota // let it happen
	KindBlock               // hold the end of the turn
	KindDeny                // refuse a tool call
	KindContext             // let it happen, and tell the model something
)

// Answer is what the hook tells the host. Build it with [Allow], [Block], [Deny]
// or [Context]; the zero value is Allow. Every text in it is valid UTF-8 without
// control characters (but LF and TAB) and at most [MaxText] UTF-16 units long: a
// longer one keeps its head and its tail around a visible mark.
type Answer struct {
	kind    Kind
	text    string
	message string
}

// Allow lets the event happen. A defer is an Allow on the wire.
func Allow() Answer { return Answer{} }

// Block holds the end of the turn: the agent goes on, and reads reason. A blank
// reason becomes [BlankReason].
func Block(reason string) Answer { return Answer{kind: KindBlock, text: reasoned(reason)} }

// Deny refuses the tool call of a PreToolUse event: the agent reads reason in
// place of the tool's result. A blank reason becomes [BlankReason].
func Deny(reason string) Answer { return Answer{kind: KindDeny, text: reasoned(reason)} }

// Context gives the model a text beside the session's start or a prompt. A blank
// text makes it an [Allow].
func Context(text string) Answer {
	if text = tidy(text); blank(text) {
		return Allow()
	}
	return Answer{kind: KindContext, text: text}
}

// WithMessage adds a line that the host shows to the person, beside any answer.
// A blank one is left out.
func (a Answer) WithMessage(systemMessage string) Answer {
	a.message = tidy(systemMessage)
	if blank(a.message) {
		a.message = ""
	}
	return a
}

// Kind tells what the answer does.
func (a Answer) Kind() Kind { return a.kind }

// Text is the reason or the context as it goes out; empty for an Allow.
func (a Answer) Text() string { return a.text }

// Message is what the person is shown; empty when there is nothing to show.
func (a Answer) Message() string { return a.message }

func (k Kind) String() string {
	switch k {
	case KindBlock:
		return "block"
	case KindDeny:
		return "deny"
	case KindContext:
		return "context"
	}
	return "allow"
}

func reasoned(reason string) string {
	if reason = tidy(reason); blank(reason) {
		return BlankReason
	}
	return reason
}
