package policy

import (
	"encoding/json"
	"maps"
)

// changelogRule is the smallest rule that a project would add.
const changelogRule = `# METADATA
# title: Changelog
# custom: {code: acme.changelog_missing, severity: block, deferrable: true}
package stophook.rules.changelog

demand contains {"text": "Changelog: add an entry."} if {
	input.turn.is_tool_turn
	not input.config.params.changelog
}
`

// A change edits a test input.
type change func(map[string]any)

// testInput is a tool turn in Claude Code that owes the whole ritual, changed as asked.
func testInput(changes ...change) map[string]any {
	in := map[string]any{
		"schema": "stophook.input/v1", "now": "2026-10-05T09:00:07.000Z",
		"host":       map[string]any{"name": "claude-code", "version": "2.1.332", "mode": "interactive", "event": "Stop", "can_block": true},
		"self":       map[string]any{"command": "/opt/stophook", "bypass": false, "shadow": false},
		"session":    map[string]any{"id": "5f0e1a2b", "cwd": "/home/dev/proj"},
		"transcript": map[string]any{"blind": []any{}},
		"turn":       map[string]any{"is_tool_turn": true, "api_error": false, "tool_calls": 3},
		"tasks":      []any{}, "handoffs": []any{},
		"debt":        map[string]any{"calls": 0, "paired": []any{}, "owed": []any{}, "nudged": false},
		"evidence":    map[string]any{"available": true},
		"remediation": map[string]any{"count": 0, "cap": 5},
		"config": map[string]any{
			"defer_minutes": 30, "remediation_cap": 5, "closing": "any_text", "task_scope": "session", "box_on_prose": false,
			"require_git_finalization": false, "rules": map[string]any{}, "params": map[string]any{},
		},
	}
	for _, c := range changes {
		c(in)
	}
	return in
}

// set changes one value; the last argument is the value.
func set(path ...any) change {
	return func(in map[string]any) {
		keys, v := path[:len(path)-1], path[len(path)-1]
		for _, k := range keys[:len(keys)-1] {
			child, ok := in[k.(string)].(map[string]any)
			if !ok {
				child = map[string]any{}
				in[k.(string)] = child
			}
			in = child
		}
		in[keys[len(keys)-1].(string)] = v
	}
}

func unset(path ...string) change {
	return func(in map[string]any) {
		for _, k := range path[:len(path)-1] {
			in = in[k].(map[string]any)
		}
		delete(in, path[len(path)-1])
	}
}

func paid(in map[string]any) {
	maps.Copy(in["evidence"].(map[string]any), map[string]any{
		"status_check":  map[string]any{"check_id": "k3f9a1b2", "at": "2026-10-05T09:00:05Z"},
		"status_box":    map[string]any{"check_id": "k3f9a1b2", "source": "final_text", "offset": -1},
		"task_declared": map[string]any{"text": "fix the parser", "at": "2026-10-05T08:00:00Z"},
		"session_named": map[string]any{"name": "parser", "at": "2026-10-05T08:00:00Z"},
	})
}

func prose(in map[string]any) {
	in["turn"] = map[string]any{"is_tool_turn": false, "api_error": false, "tool_calls": 0}
}

func without(evidence string) change { return unset("evidence", evidence) }
func event(name string) change       { return set("host", "event", name) }

// handoff adds an open handoff of an age in seconds.
func handoff(id string, age any) change {
	return func(in map[string]any) {
		in["handoffs"] = append(in["handoffs"].([]any), map[string]any{
			"task_id": id, "age_seconds": age, "expires_at": "2026-10-05T09:29:07Z", "registry": "running",
			"state": map[string]any{"any_text": "open", "ended": "open"},
		})
	}
}

// task adds a background task, running and never collected.
func task(id, command, output string) change {
	return func(in map[string]any) {
		in["tasks"] = append(in["tasks"].([]any), map[string]any{"id": id, "kind": "shell", "state": "running", "command": command, "output_file": output})
		debt := in["debt"].(map[string]any)
		debt["owed"] = append(debt["owed"].([]any), id)
	}
}

// shellCall makes a PreToolUse event of a tool whose command waits as the kinds say.
func shellCall(tool string, kinds ...string) change {
	return func(in map[string]any) {
		event("PreToolUse")(in)
		waits := []any{}
		for i, k := range kinds {
			waits = append(waits, map[string]any{"kind": k, "text": "while sleep 1; do tail out; done", "line": i + 1})
		}
		in["tool"] = map[string]any{"name": tool, "id": "toolu_1", "shell": map[string]any{"parsed": true, "waits": waits, "background": []any{}}}
	}
}

func setting(rule, key, value string) change { return set("config", "rules", rule, key, value) }

// cloned is a deep copy, as a document would be after a trip through JSON.
func cloned(in map[string]any) map[string]any {
	b, err := json.Marshal(in)
	if err != nil {
		panic(err)
	}
	var out map[string]any
	if err := json.Unmarshal(b, &out); err != nil {
		panic(err)
	}
	return out
}
