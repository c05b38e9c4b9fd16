package doctor_test

import (
	"context"
	"os"
	"time"

	"github.com/stophook/stophook/policy/doctor"
	"github.com/stophook/stophook/policy/hookio"
	"github.com/stophook/stophook/policy/install"
)

type findingCase struct {
	reason string
	want   string // findings that are not OK; see told
	change func(*machine)
}

const claudeSettings = "home/.claude/settings.json"

// session makes an evidence folder that was last used days ago.
func (m *machine) session(id string, days int) {
	m.t.Helper()
	path := "home/.local/state/stophook/sessions/" + id + "/ledger.jsonl"
	m.put(path, "{}\n")
	at := now.AddDate(0, 0, -days)
	m.check(os.Chtimes(m.at(path), at, at))
}

// answer makes the Stop hook print something.
func (m *machine) answer(r doctor.Result) {
	m.hook = func(c doctor.Call, payload map[string]any) doctor.Result {
		if payload["hook_event_name"] == "Stop" {
			return r
		}
		return m.holding(c, payload)
	}
}

// decided makes the Stop hook log something and print r.
func (m *machine) decided(verdict string, more map[string]any, r doctor.Result) {
	m.hook = func(c doctor.Call, payload map[string]any) doctor.Result {
		if payload["hook_event_name"] == "Stop" {
			m.log(c, payload, verdict, more)
			return r
		}
		return m.holding(c, payload)
	}
}

func findingCases() []findingCase {
	var all []findingCase
	for _, list := range [][]findingCase{installedCases(), hookCases(), settingsCases(), stateCases(), policyCases(), machineCases()} {
		all = append(all, list...)
	}
	return all
}

func installedCases() []findingCase {
	return []findingCase{
		{"nothing is installed", "error not_installed", func(m *machine) { m.check(os.Remove(m.at(claudeSettings))) }},
		{"settings that do not parse", "error settings_unreadable, error not_installed", func(m *machine) { m.put(claudeSettings, "{") }},
		{"the same call in user and project settings runs once", "note double_load settings.json:call", func(m *machine) {
			m.install(hookio.HostClaudeCode, install.ScopeProject, install.ProfileRitual)
			m.put("project/.claude/settings.json", "\n"+`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"`+m.at("bin/stophook")+` hook"}]}]}}`)
		}},
		{"two calls that differ run both", "warning double_load settings.json:call", func(m *machine) {
			m.put("project/.claude/settings.json", `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"`+m.at("bin/stophook")+` hook --profile evidence"}]}]}}`)
		}},
		{"Cursor reads Claude Code's settings, too", "warning double_load hooks.json:call", func(m *machine) {
			m.install(hookio.HostCursor, install.ScopeUser, install.ProfileRitual)
		}},
		{"Codex has trusted nothing", "warning codex_untrusted hooks.json:call, note transcripts_missing", func(m *machine) {
			m.install(hookio.HostCodex, install.ScopeUser, install.ProfileRitual)
		}},
		{"Codex trusts another hook", "warning codex_untrusted hooks.json:call, note transcripts_missing", func(m *machine) {
			m.install(hookio.HostCodex, install.ScopeUser, install.ProfileRitual)
			m.put("home/.codex/config.toml", "[hooks.state.\""+m.at("home/.codex/hooks.json")+":session_start:0:0\"]\ntrusted_hash = \"sha256:1\"\n[hooks.state.\"/other/hooks.json:stop:0:0\"]\ntrusted_hash = \"sha256:2\"\n")
		}},
		{"a plugin beside the settings", "warning double_load hooks.json:1", func(m *machine) { m.plugin("true") }},
		{"a plugin that is switched off", "", func(m *machine) { m.plugin("false") }},
		{"a plugin alone is an installation", "", func(m *machine) {
			m.plugin("true")
			m.put(claudeSettings, `{"enabledPlugins":{"stophook@here":true}}`)
		}},
	}
}

// plugin installs the hooks as a plugin of Claude Code.
func (m *machine) plugin(enabled string) {
	m.put("home/.claude/plugins/installed_plugins.json", `{"version":2,"plugins":{"stophook@here":[{"scope":"user","installPath":"`+m.at("plugin")+`"}],"other@here":[{"installPath":"/x"}]}}`)
	m.put("plugin/hooks/hooks.json", `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"\"${CLAUDE_PLUGIN_ROOT}/bin/stophook\" hook"}]}]}}`)
	m.mkdir("plugin/bin")
	m.check(os.Link(m.at("bin/stophook"), m.at("plugin/bin/stophook")))
	m.replaceIn(claudeSettings, "{\n  \"hooks\"", `{"enabledPlugins":{"stophook@here":`+enabled+`},`+"\n  \"hooks\"")
}

func hookCases() []findingCase {
	return []findingCase{
		{"the path is stale", "error program_missing settings.json:call (fixable)", func(m *machine) { m.check(os.Remove(m.at("bin/stophook"))) }},
		{"it cannot be executed", "error program_not_executable settings.json:call", func(m *machine) {
			m.chmod("bin/stophook", 0o644)
			m.hook = func(doctor.Call, map[string]any) doctor.Result { return doctor.Result{Code: 126, Stderr: "denied"} }
		}},
		{"everybody can change it", "warning program_writable settings.json:call", func(m *machine) { m.chmod("bin/stophook", 0o757) }},
		{"another version is installed", "warning program_version settings.json:call", func(m *machine) {
			m.put("bin/other", "x")
			m.opts.Program = m.at("bin/other")
		}},
		{"another copy of this version", "note program_other settings.json:call", func(m *machine) {
			m.put("bin/other", "x")
			m.opts.Program, m.opts.Start = m.at("bin/other"), withVersion(m, "1.2.3")
		}},
		{"it cannot be started", "error hook_fails settings.json:call", func(m *machine) { m.answer(doctor.Result{Err: errBoom}) }},
		{"it exits with 1", "error hook_fails settings.json:call", func(m *machine) { m.answer(doctor.Result{Code: 1, Stderr: "no\nmore"}) }},
		{"it prints text before the answer", "error hook_illegal settings.json:call", func(m *machine) {
			m.answer(doctor.Result{Stdout: "hello\n" + `{"decision":"block","reason":"x"}`})
		}},
		{"it never ends", "error hook_slow settings.json:call", func(m *machine) { m.answer(doctor.Result{Err: context.DeadlineExceeded}) }},
		{"it takes very long", "warning hook_slow settings.json:call", func(m *machine) {
			m.decided("block", nil, doctor.Result{Stdout: `{"decision":"block","reason":"x"}`, Took: 5 * time.Second})
		}},
		{"it answers nothing and was never reached", "error hook_silent settings.json:call", func(m *machine) { m.answer(doctor.Result{}) }},
		{"its answer is lost on the way", "error hook_silent settings.json:call", func(m *machine) { m.decided("block", nil, doctor.Result{}) }},
		{"a blank reason holds nothing", "error hook_silent settings.json:call", func(m *machine) {
			m.decided("block", nil, doctor.Result{Stdout: `{"decision":"block","reason":" "}`})
		}},
		{"feedback holds, too", "", func(m *machine) {
			m.decided("block", nil, doctor.Result{Stdout: `{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"x"}}`})
		}},
		{"it cannot judge", "error hook_failed settings.json:call", func(m *machine) {
			m.decided("allow", map[string]any{"error": "x.rego:3: broken"}, doctor.Result{Stdout: `{"systemMessage":"broken"}`})
		}},
		{"the rules are switched off", "warning hook_lets_pass settings.json:call", func(m *machine) { m.decided("allow", nil, doctor.Result{}) }},
		{"it only observes", "note hook_observes settings.json:call", func(m *machine) {
			m.decided("block", map[string]any{"shadow": true}, doctor.Result{})
		}},
		{"it talks when nothing is wrong", "error hook_noisy settings.json:call", func(m *machine) {
			m.hook = func(c doctor.Call, payload map[string]any) doctor.Result {
				if payload["hook_event_name"] == "SubagentStop" {
					return doctor.Result{Stdout: `{"hello":1}`}
				}
				return m.holding(c, payload)
			}
		}},
		{"a project's own program is not run", "warning double_load settings.json:call, warning hook_not_tried settings.json:call", func(m *machine) {
			m.put("project/tools/stophook", "evil")
			m.chmod("project/tools/stophook", 0o755)
			m.foreign(m.at("project/tools/stophook") + " hook")
		}},
		{"a relative one neither", "warning double_load settings.json:call, warning hook_not_tried settings.json:call", func(m *machine) { m.foreign("./tools/stophook hook") }},
		{"nor what stands behind ours", "warning double_load settings.json:call, warning hook_not_tried settings.json:call", func(m *machine) {
			m.foreign(m.at("bin/stophook") + " hook; echo evil")
		}},
		{"a name that PATH does not find", "error program_missing settings.json:call (fixable), warning double_load settings.json:call", func(m *machine) { m.foreign("stophook hook") }},
		{"a name that PATH finds", "warning double_load settings.json:call", func(m *machine) {
			m.foreign("stophook hook")
			m.opts.LookPath = func(string) (string, error) { return m.at("bin/stophook"), nil }
			m.opts.Start = m.start
		}},
		{"no place for a sample", "error probe_failed", func(m *machine) {
			m.opts.TempDir = func() (string, error) { return "", errBoom }
		}},
	}
}

// foreign is a call in the project's own settings, which must never be started.
func (m *machine) foreign(command string) {
	m.put("project/.claude/settings.json", `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"`+command+`"}]}]}}`)
	m.opts.Start = func(ctx context.Context, c doctor.Call) doctor.Result {
		if c.Shell == command || c.Path != m.at("bin/stophook-workshop") && c.Shell == "" {
			m.t.Errorf("started %q %q", c.Shell, c.Path)
		}
		return m.start(ctx, c)
	}
}

func withVersion(m *machine, version string) func(context.Context, doctor.Call) doctor.Result {
	return func(ctx context.Context, c doctor.Call) doctor.Result {
		switch {
		case len(c.Args) == 1: // the workshop
			return doctor.Result{Stdout: version + "\n"}
		case len(c.Args) > 0 && c.Args[0] == "version":
			return doctor.Result{Stdout: `{"version":"` + version + `"}`}
		}
		return m.start(ctx, c)
	}
}

func settingsCases() []findingCase {
	member := func(text string) func(*machine) {
		return func(m *machine) { m.put("project/.claude/settings.local.json", "{\n"+text+"\n}") }
	}
	return []findingCase{
		{"all hooks are off", "error hooks_disabled settings.local.json:2", member(`"disableAllHooks": true`)},
		{"all hooks are not off", "", member(`"disableAllHooks": false`)},
		{"only an administrator may say that", "", member(`"allowManagedHooksOnly": true`)},
		{"an administrator says that, and has not installed it", "error managed_hooks_only managed.json:1", func(m *machine) {
			m.put("etc/managed.json", `{"allowManagedHooksOnly": true}`)
			m.managed()
		}},
		{"an administrator says that, and has installed it", "note double_load managed.json:call", func(m *machine) {
			m.put("etc/managed.json", `{"allowManagedHooksOnly": true, "hooks": {"Stop":[{"hooks":[{"type":"command","command":"`+m.at("bin/stophook")+` hook"}]}]}}`)
			m.managed()
		}},
		{"every session bypasses", "error bypass_set settings.local.json:2", member(`"env": {"STOPHOOK_BYPASS": "1"}`)},
		{"the host's cap is lower", "warning cap_variable settings.local.json:2", member(`"env": {"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "2"}`)},
		{"the host's cap is the same", "", member(`"env": {"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "5"}`)},
		{"the variable of this shell", "warning cap_variable", func(m *machine) { m.env["CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"] = "1" }},
		{"nonsense in it is nobody's cap", "", func(m *machine) { m.env["CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"] = "many" }},
		{"this shell bypasses", "error bypass_set", func(m *machine) { m.env["STOPHOOK_BYPASS"] = "yes" }},
		{"this shell says that it does not", "", func(m *machine) { m.env["STOPHOOK_BYPASS"] = "0" }},
	}
}

// managed adds a settings file of an administrator.
func (m *machine) managed() {
	m.opts.Files = func(env install.Env) []install.File {
		return append(install.Files(env), install.File{Host: hookio.HostClaudeCode, Scope: install.ScopeManaged, Path: m.at("etc/managed.json")})
	}
}

func stateCases() []findingCase {
	const state = "home/.local/state/stophook"
	return []findingCase{
		{"no home, no state", "error state_unknown", func(m *machine) { m.opts.StateDir = "" }},
		{"it is made at the first stop", "", func(m *machine) { m.check(os.Remove(m.at(state))) }},
		{"a file in its place", "error state_no_folder", func(m *machine) { m.check(os.Remove(m.at(state))); m.put(state, "x") }},
		{"somebody else's", "error state_not_yours", func(m *machine) { m.mine = false }},
		{"others can look in", "warning state_open (fixable)", func(m *machine) { m.chmod(state, 0o755) }},
		{"others can write", "error state_open (fixable)", func(m *machine) { m.chmod(state, 0o770) }},
		{"a link for the sessions", "error state_link", func(m *machine) { m.check(os.Symlink(m.at("tmp"), m.at(state+"/sessions"))) }},
		{"a folder for the log", "warning state_link", func(m *machine) { m.mkdir(state + "/decisions.jsonl") }},
		{"the disk is full", "error disk_full", func(m *machine) { m.free = 1000 }},
		{"the disk is almost full", "warning disk_full", func(m *machine) { m.free = 20 << 20 }},
		{"old sessions", "note old_sessions (fixable)", func(m *machine) { m.session("s1", 31); m.chmod(state+"/sessions", 0o700) }},
		{"sessions that are not old", "", func(m *machine) { m.session("s1", 29) }},
	}
}

func policyCases() []findingCase {
	return []findingCase{
		{"a policy of the project does not compile", "error policy_error x.rego:2", func(m *machine) {
			m.put("project/.stophook/policies/x.rego", "package stophook.rules.x\nthis is no rego\n")
		}},
		{"one of the person's", "error policy_error y.rego:2", func(m *machine) {
			m.put("home/.config/stophook/policies/y.rego", "package\n")
		}},
		{"the configuration is broken", "error config_error config.yaml:2", func(m *machine) {
			m.put("project/.stophook/config.yaml", "defer_minutes: 5\nremediation_cap: 99\n")
		}},
		{"a setting that a higher layer does not allow", "warning config_ignored config.yaml:1", func(m *machine) {
			m.put("home/.config/stophook/config.yaml", "defer_minutes: 5\n")
			m.put("project/.stophook/config.yaml", "defer_minutes: 20\n")
		}},
		{"no log", "note log_off", func(m *machine) { m.put("project/.stophook/config.yaml", "log: {enabled: false}\n") }},
		{"rules beside the folder for rules", "warning policies_unseen", func(m *machine) { m.put("project/.stophook/x.rego", "package x\n") }},
		{"a person's rules in the wrong place", "warning policies_unseen", func(m *machine) { m.put("home/.stophook/policies/x.rego", "package x\n") }},
		{"a folder below the project", "warning policies_unseen", func(m *machine) {
			m.put("project/sub/.stophook/policies/x.rego", "package x\n")
			m.opts.Workdir = m.at("project/sub/deeper")
		}},
		{"a folder without rules", "note policies_empty", func(m *machine) { m.put("project/.stophook/policies/README", "") }},
		{"a lower cap in the configuration is not the host's to undercut", "", func(m *machine) {
			m.put("project/.stophook/config.yaml", "remediation_cap: 2\n")
			m.env["CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"] = "3"
		}},
	}
}

func machineCases() []findingCase {
	const projects = "home/.claude/projects"
	return []findingCase{
		{"no session yet", "note transcripts_missing", func(m *machine) { m.check(os.RemoveAll(m.at(projects))) }},
		{"the folder is a file", "error transcripts_unreadable", func(m *machine) {
			m.check(os.RemoveAll(m.at(projects)))
			m.put(projects, "")
		}},
		{"the latest session is ahead of the clock", "warning clock", func(m *machine) {
			m.put(projects+"/-p/s.jsonl", `{"timestamp":"2026-11-30T12:05:00.000Z"}`+"\n"+`{"timestamp":"nonsense"}`+"\n")
		}},
		{"a little is in order", "", func(m *machine) { m.put(projects+"/-p/s.jsonl", `{"timestamp":"2026-11-30T12:01:00.000Z"}`+"\n") }},
		{"an empty session has no clock", "", func(m *machine) { m.put(projects+"/-p/s.jsonl", "") }},
		{"another folder of Claude Code", "error not_installed", func(m *machine) { m.env["CLAUDE_CONFIG_DIR"] = m.at("elsewhere") }},
		{"no workshop", "note workshop_missing", func(m *machine) { m.opts.Workshop = "" }},
		{"a workshop of another version", "warning workshop_version", func(m *machine) { m.opts.Start = withVersion(m, "1.0.0") }},
	}
}
