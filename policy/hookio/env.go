package hookio

import "strings"

// How a session is watched (claude-code section 8).
const (
	ModeInteractive = "interactive" // somebody, or the TUI's wake-up, continues the session
	ModeHeadless    = "headless"    // nobody does: the process ends with the final response
	ModeUnknown     = "unknown"     // the host does not say
)

// Where [SessionFromEnv] found the session's id.
const (
	EnvSessionHost = "CLAUDE_CODE_SESSION_ID" // set by the host in hooks and tool calls
	EnvSessionOurs = "STOPHOOK_SESSION_ID"    // exported by our SessionStart hook, for older hosts
	// Other hosts in their tool calls (codex-cli 0.171.0, copilot-cli 1.0.102).
	EnvSessionCodex   = "CODEX_SESSION_ID"
	EnvSessionThread  = "CODEX_THREAD_ID" // of older ones
	EnvSessionCopilot = "COPILOT_AGENT_SESSION_ID"
)

// Mode tells whether anybody is there to wake the session: headless when
// CLAUDE_CODE_SESSION_ATTENDED is 0 or the entrypoint starts with "sdk",
// interactive when it is 1 or the entrypoint is "cli". Signs that contradict each
// other read as headless: there background work is lost when the turn ends, so
// that is the mistake that costs. entrypoint is CLAUDE_CODE_ENTRYPOINT as it is.
func Mode(getenv func(string) string) (mode, entrypoint string) {
	entrypoint = strings.TrimSpace(getenv("CLAUDE_CODE_ENTRYPOINT"))
	attended := strings.TrimSpace(getenv("CLAUDE_CODE_SESSION_ATTENDED"))
	switch {
	case attended == "0", strings.HasPrefix(entrypoint, "sdk"):
		return ModeHeadless, entrypoint
	case attended == "1", entrypoint == "cli":
		return ModeInteractive, entrypoint
	}
	return ModeUnknown, entrypoint
}

// SessionFromEnv finds the id of the session that a command runs in: what Claude
// Code says ([EnvSessionHost]), else what our SessionStart hook left
// ([EnvSessionOurs]), else what another host says. source is the variable's name;
// both are empty when none is set, and the caller says that the session is unknown.
// A host that was started by another one inherits its variables, so the texts for
// the agent name the session wherever that can happen.
func SessionFromEnv(getenv func(string) string) (id, source string) {
	for _, source := range []string{EnvSessionHost, EnvSessionOurs, EnvSessionCodex, EnvSessionThread, EnvSessionCopilot} {
		if id = strings.TrimSpace(getenv(source)); id != "" {
			return id, source
		}
	}
	return "", ""
}
