package hookio

// gemini is Gemini CLI: events of its own names, and answers that carry decision and
// reason at the top for stops and tool calls alike (gemini-cli 0.61.0).
type gemini struct{}

func (gemini) field(key string) string {
	if key == "prompt_response" {
		return "last_assistant_message"
	}
	return key
}

func (gemini) name(e *Event, _ []field) {
	switch e.HostEvent {
	case "AfterAgent":
		e.Name = Stop
	case "BeforeAgent":
		e.Name = UserPromptSubmit
	case "BeforeTool":
		e.Name = PreToolUse
	case "AfterTool":
		e.Name = PostToolUse
	}
}

func (gemini) blockable(e *Event) bool { return e.Name == Stop }

func (gemini) deniable(e *Event) bool { return e.Name == PreToolUse }

func (g gemini) encode(ev *Event, a Answer, _ BlockStyle) ([]byte, error) {
	o := object{message: a.message}
	switch a.kind {
	case KindBlock:
		if !g.blockable(ev) {
			return nil, refused(ev, a, ErrCannotBlock)
		}
		o.decision(a.text)
	case KindDeny:
		if !g.deniable(ev) {
			return nil, refused(ev, a, ErrCannotBlock)
		}
		o.pair("decision", "deny")
		o.pair("reason", a.text)
	case KindContext:
		if ev.Name != SessionStart && ev.Name != UserPromptSubmit {
			return nil, refused(ev, a, ErrNoContext)
		}
		o.specific(ev.hostName(), "additionalContext", a.text)
	}
	return o.bytes(), nil
}

// hostName is the event as the host calls it.
func (e *Event) hostName() string {
	if e.HostEvent != "" {
		return e.HostEvent
	}
	return string(e.Name)
}
