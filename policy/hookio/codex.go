package hookio

// codex is Codex CLI. It reads its answers with a parser that refuses a key it does
// not know, and with the key the whole answer, so only keys of the schemas that it
// carries itself are ever written (codex-cli 0.171.0, docs/hosts.md).
type codex struct{}

// The turn is the key of a person's prompt: it stays through what our blocks add.
func (codex) field(key string) string {
	if key == "turn_id" {
		return "prompt_id"
	}
	return key
}

func (codex) name(*Event, []field) {}

func (codex) blockable(e *Event) bool { return e.Name == Stop }

func (codex) deniable(e *Event) bool { return e.Name == PreToolUse }

func (c codex) encode(ev *Event, a Answer, _ BlockStyle) ([]byte, error) {
	switch ev.Name {
	case SessionStart, UserPromptSubmit, PreToolUse, PostToolUse, Stop, SubagentStop:
	default:
		a.message = "" // an event whose schema nobody has seen
	}
	return claudeCode{}.encode(ev, a, StyleDecision)
}
