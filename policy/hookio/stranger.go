package hookio

// stranger is a host whose name the caller made up: its payload is read as far as
// the common names go, and it gets no answer, because none is known to be legal.
type stranger struct{ windsurf }

func (stranger) field(key string) string {
	if key == "prompt_response" {
		return "last_assistant_message"
	}
	return copilot{}.field(key)
}

func (stranger) name(*Event, []field) {}
