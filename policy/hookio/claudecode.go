package hookio

// claudeCode writes the shapes measured in claude-code section 4.
type claudeCode struct{}

func (claudeCode) field(key string) string { return key }

func (claudeCode) name(*Event, []field) {}

func (claudeCode) blockable(e *Event) bool { return e.Name == Stop }

func (claudeCode) deniable(e *Event) bool { return e.Name == PreToolUse }

func (c claudeCode) encode(ev *Event, a Answer, style BlockStyle) ([]byte, error) {
	o := object{message: a.message}
	switch a.kind {
	case KindBlock:
		if !c.blockable(ev) {
			return nil, refused(ev, a, ErrCannotBlock)
		}
		if style == StyleFeedback {
			o.specific(string(ev.Name), "additionalContext", a.text)
		} else {
			o.decision(a.text)
		}
	case KindDeny:
		if !c.deniable(ev) {
			return nil, refused(ev, a, ErrCannotBlock)
		}
		o.deny(a.text)
	case KindContext:
		if ev.Name != SessionStart && ev.Name != UserPromptSubmit {
			return nil, refused(ev, a, ErrNoContext)
		}
		o.specific(string(ev.Name), "additionalContext", a.text)
	}
	return o.bytes(), nil
}
