package doctor

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/stophook/stophook/policy/hookio"
)

// legal tells whether a host can read what a hook printed: nothing, or one JSON
// object; Codex refuses keys that it does not know.
func legal(host hookio.Host, event, stdout string) bool {
	text := strings.TrimSpace(stdout)
	if text == "" {
		return true
	}
	var o map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &o) != nil || o == nil {
		return false
	}
	if host == hookio.HostCodex && stops(event) {
		for key := range o {
			if !slices.Contains([]string{"continue", "stopReason", "suppressOutput", "systemMessage", "decision", "reason"}, key) {
				return false
			}
		}
	}
	return true
}

// blocks tells whether what a hook printed holds the turn, in the words of its host.
func blocks(host hookio.Host, stdout string) bool {
	var o struct {
		Decision string `json:"decision"`
		Reason   string `json:"reason"`
		FollowUp string `json:"followup_message"`
		Specific struct {
			Context string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	if json.Unmarshal([]byte(stdout), &o) != nil {
		return false
	}
	full := func(s string) bool { return strings.TrimSpace(s) != "" }
	switch host {
	case hookio.HostCursor:
		return full(o.FollowUp)
	case hookio.HostGemini:
		return (o.Decision == "deny" || o.Decision == "block") && full(o.Reason)
	case hookio.HostClaudeCode:
		return o.Decision == "block" && full(o.Reason) || full(o.Specific.Context)
	}
	return o.Decision == "block" && full(o.Reason)
}
