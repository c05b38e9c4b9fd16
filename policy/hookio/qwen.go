package hookio

// qwen is Qwen Code: Claude Code's events and answers, without the feedback form of
// a block (qwen-code 0.24.4, and 0.15.10 but for the start of a session).
type qwen struct{ claudeCode }

func (qwen) encode(ev *Event, a Answer, _ BlockStyle) ([]byte, error) {
	return claudeCode{}.encode(ev, a, StyleDecision)
}
