package install

import (
	"fmt"
	"path/filepath"
	"runtime"
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
	note          string
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

// getenv reads a variable; an Env without the func has none.
func (e Env) getenv(name string) string {
	if e.Getenv == nil {
		return ""
	}
	return e.Getenv(name)
}

func (e Env) goos() string {
	if e.GOOS == "" {
		return runtime.GOOS
	}
	return e.GOOS
}

// folder is a folder of the user's: the one that a variable names, or one below home.
func (e Env) folder(variable, below string) string {
	if dir := e.getenv(variable); variable != "" && dir != "" {
		return dir
	}
	if e.Home == "" {
		return ""
	}
	return filepath.Join(e.Home, below)
}

// path is the settings file of a host and scope, or why there is none.
func (e Env) path(name hookio.Host, scope Scope) (string, error) {
	var dir, file string
	user := scope == ScopeUser
	switch name {
	case hookio.HostClaudeCode:
		dir, file = e.place(user, "CLAUDE_CONFIG_DIR", ".claude"), "settings.json"
	case HostDroid:
		dir, file = e.place(user, "", ".factory"), "settings.json"
	case hookio.HostCodex:
		dir, file = e.place(user, "CODEX_HOME", ".codex"), "hooks.json"
	case hookio.HostGemini:
		dir, file = e.place(user, "", ".gemini"), "settings.json"
		if home := e.getenv("GEMINI_CLI_HOME"); user && home != "" {
			dir = filepath.Join(home, ".gemini")
		}
	case hookio.HostQwen:
		dir, file = e.place(user, "QWEN_HOME", ".qwen"), "settings.json"
	case hookio.HostCursor:
		dir, file = e.place(user, "", ".cursor"), "hooks.json"
	case hookio.HostCopilot:
		dir, file = e.place(user, "COPILOT_HOME", ".copilot"), filepath.Join("hooks", "stophook.json")
		if !user && e.Project != "" {
			dir = filepath.Join(e.Project, ".github")
		}
	default:
		return "", fmt.Errorf("there is no host %q to install to; use one of %s", name, join(Hosts()))
	}
	if !slices.Contains(Scopes(name), scope) {
		return "", fmt.Errorf("%s has no settings of scope %q; use one of %s", Title(name), scope, join(Scopes(name)))
	}
	if scope == ScopeLocal {
		file = "settings.local.json"
	}
	if dir == "" && user {
		return "", fmt.Errorf("the home folder is not known, so there is no place for settings of scope user; set HOME, or use --scope project")
	}
	if dir == "" {
		return "", fmt.Errorf("the project folder is not known; run this inside the project, or use --scope user")
	}
	return filepath.Join(dir, file), nil
}

func (e Env) place(user bool, variable, name string) string {
	switch {
	case user:
		return e.folder(variable, name)
	case e.Project == "":
		return ""
	}
	return filepath.Join(e.Project, name)
}

// Files lists every settings file that is known for this machine and project,
// whether it exists or not: for each host user, project and local, then what an
// administrator may have put in place.
func Files(env Env) []File {
	var files []File
	add := func(h hookio.Host, scope Scope, path string) {
		same := func(f File) bool { return f.Host == h && f.Path == path }
		if path != "" && !slices.ContainsFunc(files, same) { // a project that is the home folder
			files = append(files, File{Host: h, Scope: scope, Path: path})
		}
	}
	for _, h := range hosts() {
		for _, scope := range Scopes(h.name) {
			path, _ := env.path(h.name, scope)
			add(h.name, scope, path)
		}
	}
	for _, name := range []string{"managed-settings.json", filepath.Join("managed-settings.d", "*.json")} {
		matches, _ := filepath.Glob(filepath.Join(managedDir(env.goos()), name))
		for _, path := range matches {
			add(hookio.HostClaudeCode, ScopeManaged, path)
		}
	}
	return files
}

// managedDir is where an administrator's settings of Claude Code stand.
func managedDir(goos string) string {
	switch goos {
	case "darwin":
		return "/Library/Application Support/ClaudeCode"
	case "windows":
		return `C:\Program Files\ClaudeCode`
	}
	return "/etc/claude-code"
}

func join[T ~string](list []T) string {
	words := make([]string, len(list))
	for i, w := range list {
		words[i] = string(w)
	}
	return strings.Join(words, ", ")
}
