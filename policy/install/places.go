package install

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/stophook/stophook/policy/hookio"
)

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
