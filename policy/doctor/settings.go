package doctor

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/stophook/stophook/internal/jsonedit"
	"github.com/stophook/stophook/policy/hookio"
	"github.com/stophook/stophook/policy/install"
)

// settings is one settings file of Claude Code.
type settings struct {
	install.File
	doc *jsonedit.Document
}

// claudeSettings are the files that exist and can be read, the weakest first; those
// that cannot have been told by then.
func (e *exam) claudeSettings() []settings {
	var list []settings
	for _, f := range e.settingsFiles() {
		if f.Host != hookio.HostClaudeCode {
			continue
		}
		data, err := os.ReadFile(f.Path)
		if err != nil {
			continue
		}
		if doc, err := jsonedit.Parse(data); err == nil {
			list = append(list, settings{f, doc})
		}
	}
	return list
}

// get is the value at a path: the text of a string, else what stands in the file;
// empty when there is none.
func (s settings) get(path ...string) string {
	n := s.doc.Get(path...)
	switch {
	case n == nil:
		return ""
	case n.Kind == jsonedit.String:
		return n.Text
	}
	return string(bytes.TrimSpace(s.doc.Bytes()[n.Start:n.End]))
}

func (s settings) line(path ...string) int {
	if n := s.doc.Get(path...); n != nil {
		return s.doc.Line(n.Start)
	}
	return 0
}

// switches finds settings that take the hooks away.
func (e *exam) switches() {
	if !e.has(hookio.HostClaudeCode) {
		return
	}
	e.limit("claude --bare and --safe-mode run no hooks, and nothing on the disk shows that they are used; nor do settings that an administrator sends over the network")
	for _, s := range e.claudeSettings() {
		if s.get("disableAllHooks") == "true" {
			e.add(Finding{ID: "hooks_disabled", Severity: Error, Title: "Claude Code runs no hook at all: disableAllHooks is set",
				File: s.Path, Line: s.line("disableAllHooks"), Todo: "remove disableAllHooks, or set it to false"})
		}
		if s.get("allowManagedHooksOnly") == "true" && s.Scope == install.ScopeManaged && !e.managed() {
			e.add(Finding{ID: "managed_hooks_only", Severity: Error, Title: "Claude Code runs the administrator's hooks only, and stophook is not among them",
				File: s.Path, Line: s.line("allowManagedHooksOnly"), Todo: "ask the administrator to add the hook to the managed settings"})
		}
		if bypass := s.get("env", "STOPHOOK_BYPASS"); truthy(bypass) {
			e.add(Finding{ID: "bypass_set", Severity: Error, Title: "STOPHOOK_BYPASS is set for every session: all turns pass unchecked",
				File: s.Path, Line: s.line("env", "STOPHOOK_BYPASS"), Todo: "remove it"})
		}
	}
}

// managed tells whether an administrator has installed stophook.
func (e *exam) managed() bool {
	for _, in := range e.entries {
		if in.Host == hookio.HostClaudeCode && in.Scope == install.ScopeManaged {
			return true
		}
	}
	return false
}

// truthy is how the hook reads a switch from its environment.
func truthy(v string) bool { return v != "" && v != "0" && !strings.EqualFold(v, "false") }

// capVariable compares the host's cap of blocks with ours: the lower one counts.
func (e *exam) capVariable(ours int) {
	check := func(name, value, file string, line int) {
		n, err := strconv.Atoi(strings.TrimSpace(value))
		if err != nil || n < 1 || n >= ours {
			return
		}
		e.add(Finding{ID: "cap_variable", Severity: Warning, File: file, Line: line,
			Title:  fmt.Sprintf("%s is %d: the host lets a turn go after %d blocks, before the %d of stophook", name, n, n, ours),
			Detail: "A turn that the host lets go ends without the message that says what is still missing.",
			Todo:   fmt.Sprintf("set it to %d or more, or set remediation_cap to %d", ours+1, max(1, n-1))})
	}
	if e.has(hookio.HostQwen) {
		const name = "QWEN_CODE_STOP_HOOK_BLOCK_CAP"
		check(name, e.getenv(name), "", 0)
	}
	if !e.has(hookio.HostClaudeCode) {
		return
	}
	const name = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"
	check(name, e.getenv(name), "", 0)
	for _, s := range e.claudeSettings() {
		check(name, s.get("env", name), s.Path, s.line("env", name))
	}
}

// environment finds variables of this shell that change the gate. A host that is
// started from it would pass them on.
func (e *exam) environment() {
	if truthy(e.getenv("STOPHOOK_BYPASS")) {
		e.add(Finding{ID: "bypass_set", Severity: Error, Title: "STOPHOOK_BYPASS is set: a host started from this shell lets all turns pass unchecked",
			Todo: "unset STOPHOOK_BYPASS"})
	}
}

// codexTrust looks whether Codex has been told to trust the hook. It keeps a hash of
// the definition, which only Codex itself can compare.
func (e *exam) codexTrust() {
	for _, in := range e.entries {
		if in.Host != hookio.HostCodex || !stops(in.Event) {
			continue
		}
		home := e.getenv("CODEX_HOME")
		if home == "" {
			home = filepath.Join(e.Env.Home, ".codex")
		}
		file := filepath.Join(home, "config.toml")
		data, err := os.ReadFile(file)
		line := 0
		if err == nil {
			line = trustLine(string(data), in.File)
		}
		if line > 0 {
			e.add(Finding{ID: "codex_trust", Severity: OK, Title: "Codex trusts the hook, as long as its command stays as it is", File: file, Line: line})
			continue
		}
		e.add(Finding{ID: "codex_untrusted", Severity: Warning, Title: "Codex has not been told to trust the hook, and does not run it until then",
			Detail: fmt.Sprintf("%s has no trusted_hash for %s.", file, in.File), File: in.File, Line: in.Line,
			Todo: "start codex, open /hooks, look at the command and approve it"})
	}
}

// trustLine is the line of config.toml at which the stop hook of a file is trusted:
// a table hooks.state."FILE:stop:…" with a trusted_hash. 0: none.
func trustLine(config, file string) int {
	inside := false
	for i, text := range strings.Split(config, "\n") {
		text = strings.TrimSpace(text)
		if strings.HasPrefix(text, "[") {
			inside = strings.HasPrefix(text, "[hooks.state.") && strings.Contains(text, file+":stop:")
		}
		if name, _, ok := strings.Cut(text, "="); inside && ok && strings.TrimSpace(name) == "trusted_hash" {
			return i + 1
		}
	}
	return 0
}
