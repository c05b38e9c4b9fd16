package hookio_test

import (
	"testing"

	"github.com/stophook/stophook/policy/hookio"
)

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestMode(t *testing.T) {
	tests := []struct{ attended, entrypoint, want, reason string }{
		{"", "", hookio.ModeUnknown, "an old host says nothing"},
		{"0", "sdk-cli", hookio.ModeHeadless, "measured with -p"},
		{"0", "", hookio.ModeHeadless, "one sign is enough"},
		{"", "sdk-ts", hookio.ModeHeadless, "every SDK starts with sdk"},
		{"", "cli", hookio.ModeInteractive, "the TUI of an older version"},
		{"1", "", hookio.ModeInteractive, "one sign is enough"},
		{"1", "claude-vscode", hookio.ModeInteractive, "an entrypoint we do not know, attended"},
		{"0", "cli", hookio.ModeHeadless, "contradiction: the mistake that costs is the other one"},
		{"1", "sdk-cli", hookio.ModeHeadless, "contradiction: the mistake that costs is the other one"},
		{"yes", "mcp", hookio.ModeUnknown, "values nobody measured"},
		{" 1\n", " cli ", hookio.ModeInteractive, "space from a wrapper"},
	}
	for _, tt := range tests {
		mode, _ := hookio.Mode(env("CLAUDE_CODE_SESSION_ATTENDED", tt.attended, "CLAUDE_CODE_ENTRYPOINT", tt.entrypoint))
		if mode != tt.want {
			t.Errorf("attended %q, entrypoint %q: %s, want %s: %s", tt.attended, tt.entrypoint, mode, tt.want, tt.reason)
		}
	}
	if _, entrypoint := hookio.Mode(env("CLAUDE_CODE_ENTRYPOINT", "sdk-py")); entrypoint != "sdk-py" {
		t.Errorf("entrypoint %q, want it as the host says it", entrypoint)
	}
}

func TestSessionFromEnv(t *testing.T) {
	tests := []struct{ host, ours, id, source, reason string }{
		{"h", "o", "h", hookio.EnvSessionHost, "after /clear ours is the old session's"},
		{"", "o", "o", hookio.EnvSessionOurs, "an older host"},
		{" ", " o\n", "o", hookio.EnvSessionOurs, "blank is unset"},
		{"", "", "", "", "the caller says that the session is unknown"},
	}
	for _, tt := range tests {
		id, source := hookio.SessionFromEnv(env(hookio.EnvSessionHost, tt.host, hookio.EnvSessionOurs, tt.ours))
		if id != tt.id || source != tt.source {
			t.Errorf("(%q, %q) = %q from %q, want %q from %q: %s", tt.host, tt.ours, id, source, tt.id, tt.source, tt.reason)
		}
	}
}

func TestSessionFromEnv_OtherHosts(t *testing.T) {
	tests := []struct {
		pairs  []string
		id     string
		reason string
	}{
		{[]string{hookio.EnvSessionCodex, "x"}, "x", "codex-cli 0.171.0"},
		{[]string{hookio.EnvSessionThread, "t"}, "t", "an older Codex"},
		{[]string{hookio.EnvSessionCodex, "x", hookio.EnvSessionThread, "t"}, "x", "a subagent's thread belongs to its session"},
		{[]string{hookio.EnvSessionCopilot, "p"}, "p", "copilot-cli 1.0.102"},
		{[]string{hookio.EnvSessionHost, "c", hookio.EnvSessionCodex, "x"}, "c", "one of them was started in the other: the texts name the session, this is the fallback"},
	}
	for _, tt := range tests {
		if id, _ := hookio.SessionFromEnv(env(tt.pairs...)); id != tt.id {
			t.Errorf("%q: %q, want %q: %s", tt.pairs, id, tt.id, tt.reason)
		}
	}
}
