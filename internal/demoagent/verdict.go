package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/stophook/stophook/agentcore/hook"
)

// verdict is what the gate says, with its code.
type verdict struct{ verdict, code string }

func (v verdict) String() string { return fmt.Sprintf("%s (%s)", v.verdict, v.code) }

func (v verdict) paint(s *stage) string {
	sgr := map[string]string{"block": "1;31", "defer": "1;34"}[v.verdict]
	if sgr == "" {
		sgr = "1;32"
	}
	return s.code(sgr, strings.ToUpper(v.verdict)) + "  " + v.code
}

// decision is an entry of the log that stophook keeps.
type decision struct {
	verdict verdict
	reason  string
	payload json.RawMessage // of the hook
}

// decision reads what was decided about a Stop of a session, from the log: the wire
// tells a deferral and an allow not apart. There must be no later one.
func (s *stage) decision(session string, nth int) (decision, error) {
	log, err := os.ReadFile(filepath.Join(s.dir, "state", "stophook", "decisions.jsonl"))
	if err != nil {
		return decision{}, fmt.Errorf("the gate decided nothing: %w", err)
	}
	var all []decision
	for line := range bytes.Lines(log) {
		var entry struct {
			Input  struct{ Hook json.RawMessage }
			Result struct{ Verdict, Code, Reason string }
		}
		var payload struct {
			Event   string `json:"hook_event_name"`
			Session string `json:"session_id"`
		}
		if err := json.Unmarshal(line, &entry); err != nil {
			return decision{}, err
		}
		if json.Unmarshal(entry.Input.Hook, &payload) == nil && payload.Event == "Stop" && payload.Session == session {
			all = append(all, decision{verdict{entry.Result.Verdict, entry.Result.Code}, entry.Result.Reason, entry.Input.Hook})
		}
	}
	if len(all) != nth+1 {
		return decision{}, fmt.Errorf("the agent wants to stop for time %d, and the gate decided %d times", nth+1, len(all))
	}
	return all[nth], nil
}

// without explains the same stop with the deferral switched off: what a gate would
// say that does not know of commands that were moved.
func (h *host) without(ctx context.Context, d decision) error {
	conf := filepath.Join(h.dir, "naive.yaml")
	if err := os.WriteFile(conf, []byte("rules: {background_handoff: {severity: off}}\n"), 0o644); err != nil {
		return err
	}
	cmd := h.command(ctx, h.stophook, "explain", "--json", "--config", conf)
	cmd.Env = append(cmd.Env, hook.SessionEnv(h.hookOptions(), h.session.ID(), "agentcore")...)
	cmd.Stdin = bytes.NewReader(d.payload)
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("stophook explain: %w\n%s", err, out)
	}
	var naive struct {
		Decision struct{ Verdict, Code string }
	}
	if err := json.Unmarshal(out, &naive); err != nil {
		return err
	}
	got, want := verdict{naive.Decision.Verdict, naive.Decision.Code}, story()[1]
	if got != want {
		return fmt.Errorf("without the deferral the story wants %s, stophook says %s", want, got)
	}
	h.quote("The same stop without that rule: " + strings.ToUpper(got.verdict) + "  " + got.code)
	return nil
}
