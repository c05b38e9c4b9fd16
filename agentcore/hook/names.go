package hook

import (
	"bytes"
	"encoding/json"

	"github.com/stophook/stophook/policy/hookio"
)

// Alias is how Claude Code calls a tool of ours.
type Alias struct {
	Name string // Bash
	// Also are older names, which matchers may still use.
	Also []string
	// Input gives the client's name of a top-level field of the input, by ours.
	Input map[string]string
}

// ClaudeNames are the aliases of this project's tools, by their native names. Hooks
// that were written for Claude Code then see the tools and fields they look for.
func ClaudeNames() map[string]Alias {
	file := map[string]string{"path": "file_path"}
	return map[string]Alias{
		"shell":      {Name: "Bash", Input: map[string]string{"timeout_ms": "timeout"}},
		"read_file":  {Name: "Read", Input: file},
		"write_file": {Name: "Write", Input: file},
		"edit":       {Name: "Edit", Input: file},
		"glob":       {Name: "Glob"},
		"grep":       {Name: "Grep"},
		"list_files": {Name: "LS"},
		"shell_kill": {Name: "TaskStop", Also: []string{"KillShell", "KillBash"}},
		"wait_task":  {Name: "TaskOutput", Also: []string{"BashOutput"}, Input: map[string]string{"timeout_ms": "timeout"}},
		"spawn":      {Name: "Agent", Also: []string{"Task"}},
	}
}

// NativeNames are this project's names of Claude Code's tools, older names included:
// what permission rules that were written for Claude Code need.
func NativeNames() map[string]string {
	names := map[string]string{}
	for native, a := range ClaudeNames() {
		for _, name := range append(a.Also, a.Name) {
			names[name] = native
		}
	}
	return names
}

// query gives the names that matchers of this event are compared with.
func (c *Commands) query(p *hookio.Payload) []string {
	switch p.Event {
	case hookio.PreToolUse, hookio.PostToolUse:
		if a, ok := c.aliases[p.ToolName]; ok {
			return append([]string{a.Name, p.ToolName}, a.Also...)
		}
		return []string{p.ToolName}
	case hookio.SessionStart:
		return []string{p.Source}
	case hookio.SessionEnd:
		return []string{p.Reason}
	case hookio.SubagentStop:
		return []string{p.AgentType}
	case hookio.PreCompact:
		return []string{p.Trigger}
	case hookio.Notification:
		return []string{p.NotificationType}
	}
	return nil
}

// translate gives the payload the client's names.
func (c *Commands) translate(p *hookio.Payload) {
	a, ok := c.aliases[p.ToolName]
	if !ok || p.Event != hookio.PreToolUse && p.Event != hookio.PostToolUse {
		return
	}
	p.ToolName, p.ToolInput = a.Name, rename(p.ToolInput, a.Input)
}

// native gives an input that a hook changed our names back.
func (c *Commands) native(tool string, input json.RawMessage) json.RawMessage {
	back := map[string]string{}
	for ours, theirs := range c.aliases[tool].Input {
		back[theirs] = ours
	}
	return rename(input, back)
}

// rename changes top-level names of an object. What is no object, or has none of
// them, stays as it is; a name that is taken already is not given twice.
func rename(input json.RawMessage, names map[string]string) json.RawMessage {
	var object map[string]json.RawMessage
	if len(names) == 0 || json.Unmarshal(input, &object) != nil {
		return input
	}
	changed := false
	for from, to := range names {
		value, there := object[from]
		if _, taken := object[to]; there && !taken {
			delete(object, from)
			object[to] = value
			changed = true
		}
	}
	if !changed {
		return input
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if enc.Encode(object) != nil {
		return input
	}
	return bytes.TrimSpace(out.Bytes())
}
