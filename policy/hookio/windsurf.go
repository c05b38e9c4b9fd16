package hookio

// windsurf is Windsurf's Cascade: its hooks run after the fact, and read no answer.
type windsurf struct{}

func (windsurf) field(key string) string {
	switch key {
	case "trajectory_id":
		return "session_id"
	case "agent_action_name":
		return "hook_event_name"
	}
	return key
}

func (windsurf) name(e *Event, _ []field) {
	switch e.HostEvent {
	case "post_cascade_response", "post_cascade_response_with_transcript":
		e.Name = Stop
	}
}

func (windsurf) blockable(*Event) bool { return false }

func (windsurf) deniable(*Event) bool { return false }

func (windsurf) encode(ev *Event, a Answer, _ BlockStyle) ([]byte, error) {
	switch a.kind {
	case KindBlock, KindDeny:
		return nil, refused(ev, a, ErrCannotBlock)
	case KindContext:
		return nil, refused(ev, a, ErrNoContext)
	}
	return nil, nil
}
