package install

import (
	"slices"
	"strings"

	"github.com/stophook/stophook/internal/jsonedit"
	"github.com/stophook/stophook/policy/hookio"
)

// event is one hook event of a host, in its own words.
type event struct {
	name    string
	matcher string // empty: the event has none
}

// guards tells whether the host asks before a shell command runs.
func (h host) guards() bool {
	return slices.ContainsFunc(h.events, func(e event) bool { return e.matcher != "" })
}

// host is what differs between the hosts' settings, as their packages and
// documentation have it.
type host struct {
	name   hookio.Host
	title  string
	events []event
	// groups: an event holds groups with a matcher and a list of hooks, as Claude
	// Code has it. Else it holds the hooks themselves.
	groups bool
	// flag makes the command say which host calls. Claude Code's does not: Cursor
	// and Copilot read its settings, too, and send payloads of their own.
	flag bool
	// extra members of one hook, in front of and behind the command.
	before, after jsonedit.Obj
	stop          jsonedit.Obj // and more of the stop event's
	version       int          // of the file, which must say it; 0: it has none
	rules         []string     // path of the list of shell commands that run unasked
	rule          func(command string) string
	exec          bool // has the form without a shell
	// sandbox tells how the evidence commands may write to their folder, %q in it,
	// where the sandbox of the host forbids that; empty where none does.
	sandbox string
	note    string
}

func command() jsonedit.Obj { return jsonedit.Obj{{Key: "type", Value: "command"}} }

// hosts are all hosts that can be installed to, Claude Code first.
func hosts() []host {
	return []host{
		{
			name: hookio.HostClaudeCode, title: "Claude Code", groups: true, before: command(), exec: true,
			events: []event{{name: "SessionStart"}, {name: "UserPromptSubmit"}, {name: "PreToolUse", matcher: "Bash"}, {name: "Stop"}},
			rules:  []string{"permissions", "allow"}, rule: func(c string) string { return "Bash(" + c + ":*)" },
			note: "Sessions that run already keep the hooks they began with; /hooks in Claude Code lists those in force.",
		},
		{
			name: hookio.HostCodex, title: "Codex", groups: true, flag: true, before: command(),
			events: []event{{name: "SessionStart"}, {name: "UserPromptSubmit"}, {name: "PreToolUse", matcher: "^Bash$"}, {name: "Stop"}},
			note: "Codex runs a hook only after you approved it: start codex, open /hooks, and trust these. Versions in which hooks " +
				"are still a feature to be switched on want `codex_hooks = true` under [features] in config.toml.",
			sandbox: "The sandbox workspace-write keeps the agent's evidence from being written. Allow its folder in config.toml, " +
				"or every second stop passes unchecked: under [sandbox_workspace_write] writable_roots = [%q].",
		},
		{
			name: hookio.HostGemini, title: "Gemini CLI", groups: true, flag: true,
			before: jsonedit.Obj{{Key: "name", Value: "stophook"}, {Key: "type", Value: "command"}},
			after:  jsonedit.Obj{{Key: "timeout", Value: 30000}}, // milliseconds
			events: []event{{name: "SessionStart"}, {name: "BeforeAgent"}, {name: "BeforeTool", matcher: "^run_shell_command$"}, {name: "AfterAgent"}},
			rules:  []string{"tools", "allowed"}, rule: func(c string) string { return "run_shell_command(" + c + ")" },
			note: "Gemini CLI warns once about a project's hooks that are new or changed.",
		},
		{
			name: hookio.HostQwen, title: "Qwen Code", groups: true, flag: true,
			before: jsonedit.Obj{{Key: "type", Value: "command"}},
			after:  jsonedit.Obj{{Key: "name", Value: "stophook"}, {Key: "timeout", Value: 30000}}, // milliseconds
			events: []event{{name: "SessionStart"}, {name: "UserPromptSubmit"}, {name: "PreToolUse", matcher: "^run_shell_command$"}, {name: "Stop"}},
			rules:  []string{"permissions", "allow"}, rule: func(c string) string { return "Bash(" + c + " *)" },
		},
		{
			name: hookio.HostCursor, title: "Cursor", flag: true, version: 1,
			after:  jsonedit.Obj{{Key: "timeout", Value: 30}},
			stop:   jsonedit.Obj{{Key: "loop_limit", Value: 5}},
			events: []event{{name: "sessionStart"}, {name: "stop"}},
			note:   "Cursor cannot hold a turn: what is missing is sent as the next message, 5 times at most.",
		},
		{
			// Not at PreToolUse: Copilot refuses every tool call of which the hook fails,
			// and with it the work of all who have the project and not the program.
			name: hookio.HostCopilot, title: "GitHub Copilot", flag: true, version: 1, before: command(),
			after:  jsonedit.Obj{{Key: "timeoutSec", Value: 30}},
			events: []event{{name: "SessionStart"}, {name: "Stop"}},
		},
		{
			name: HostDroid, title: "Factory Droid", groups: true, flag: true, before: command(),
			events: []event{{name: "SessionStart"}, {name: "UserPromptSubmit"}, {name: "PreToolUse", matcher: "Execute"}, {name: "Stop"}},
			note:   "Droid reads a hooks.json beside these settings in their place: if there is one, move its hooks.",
		},
	}
}

// Hosts lists the names of the hosts that can be installed to.
func Hosts() []hookio.Host {
	var names []hookio.Host
	for _, h := range hosts() {
		names = append(names, h.name)
	}
	return names
}

// Scopes lists the scopes of a host, in the order user, project, local.
func Scopes(name hookio.Host) []Scope {
	scopes := []Scope{ScopeUser, ScopeProject}
	if name == hookio.HostClaudeCode || name == HostDroid {
		scopes = append(scopes, ScopeLocal)
	}
	return scopes
}

// Profiles lists the profiles, the default first.
func Profiles() []Profile {
	return []Profile{ProfileRitual, ProfileEvidence, ProfileBackground, ProfileObserve}
}

// Title is the host's name as its makers write it.
func Title(name hookio.Host) string {
	if h, ok := findHost(name); ok {
		return h.title
	}
	return string(name)
}

func findHost(name hookio.Host) (host, bool) {
	all := hosts()
	i := slices.IndexFunc(all, func(h host) bool { return h.name == name })
	if i < 0 {
		return host{}, false
	}
	return all[i], true
}

func join[T ~string](list []T) string {
	words := make([]string, len(list))
	for i, w := range list {
		words[i] = string(w)
	}
	return strings.Join(words, ", ")
}
