package hook

import (
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/stophook/stophook/policy/hookio"
)

// perCall are variables that a host sets for each call, or leaves out. Those of
// another host, in whose shell this one may have been started, must not shine
// through.
func perCall() []string {
	return []string{"CLAUDECODE", hookio.EnvSessionHost, "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ATTENDED", "CLAUDE_PID",
		"CLAUDE_EFFORT", "CLAUDE_PROJECT_DIR", "CLAUDE_ENV_FILE", "CLAUDE_PLUGIN_ROOT", "AI_AGENT", hookio.EnvSessionOurs,
		"CLAUDE_CODE_MESSAGING_SOCKET", "CLAUDE_CODE_MESSAGING_TOKEN", "CLAUDE_CODE_CHILD_NOTES_DIR",
		hookio.EnvSessionCodex, hookio.EnvSessionThread, hookio.EnvSessionCopilot}
}

// inherited is the host's environment without what hooks must not see.
func inherited(env, hide []string) []string {
	drop := slices.Concat(perCall(), hide)
	return slices.DeleteFunc(slices.Clone(env), func(pair string) bool {
		name, _, ok := strings.Cut(pair, "=")
		return !ok || slices.ContainsFunc(drop, func(d string) bool { return sameName(d, name) })
	})
}

func sameName(a, b string) bool {
	return a == b || runtime.GOOS == "windows" && strings.EqualFold(a, b)
}

// SessionEnv are the variables by which a program that an agent starts knows the
// session it runs in (claude-code section 8): hooks get them, and the commands of an
// agent's shell should. With them, `stophook status` files its evidence under the
// session that will be asked for it. agent is AI_AGENT there.
func SessionEnv(o Options, sessionID, agent string) []string {
	entrypoint, attended := o.Entrypoint, "0"
	if entrypoint == "" {
		entrypoint = "sdk-cli"
	}
	if o.Attended {
		attended = "1"
	}
	env := []string{"CLAUDECODE=1", hookio.EnvSessionHost + "=" + sessionID, "CLAUDE_CODE_ENTRYPOINT=" + entrypoint,
		"CLAUDE_CODE_SESSION_ATTENDED=" + attended}
	if agent != "" {
		env = append(env, "AI_AGENT="+agent)
	}
	if o.PID > 0 {
		env = append(env, "CLAUDE_PID="+strconv.Itoa(o.PID))
	}
	return env
}

// environ is a hook's environment.
func (c *Commands) environ(p *hookio.Payload) []string {
	env := slices.Concat(c.env, SessionEnv(c.o, p.SessionID, c.o.Agent))
	if c.o.ProjectDir != "" {
		env = append(env, "CLAUDE_PROJECT_DIR="+c.o.ProjectDir)
	}
	switch p.Event {
	case hookio.Stop, hookio.SubagentStop, hookio.PreToolUse, hookio.PostToolUse: // whose payload has it
		if p.Effort != "" {
			env = append(env, "CLAUDE_EFFORT="+p.Effort)
		}
	}
	if p.Event == hookio.SessionStart && c.o.EnvFile != nil {
		if file := c.o.EnvFile(p.SessionID); file != "" {
			env = append(env, "CLAUDE_ENV_FILE="+file)
		}
	}
	return env
}

// folder is where hooks of a call run.
func (c *Commands) folder(cwd string) string {
	for _, dir := range []string{cwd, c.o.ProjectDir} {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir
		}
	}
	return ""
}
