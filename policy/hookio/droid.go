package hookio

// droid is Factory Droid, which documents Claude Code's events and answers. The
// feedback form of a block is not among them.
type droid struct{ claudeCode }

func (droid) encode(ev *Event, a Answer, _ BlockStyle) ([]byte, error) {
	return claudeCode{}.encode(ev, a, StyleDecision)
}
