package doctor

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stophook/stophook/policy/hookio"
	"github.com/stophook/stophook/policy/install"
)

// installed finds every entry that calls stophook, those of plugins included.
func (e *exam) installed() {
	for _, file := range e.settingsFiles() {
		if !e.asked(file.Host) {
			continue
		}
		found, err := install.InFile(file)
		for _, in := range found {
			e.entries = append(e.entries, entry{Entry: in})
		}
		if err != nil {
			e.add(Finding{ID: "settings_unreadable", Severity: Error, Title: "a settings file of " + install.Title(file.Host) + " cannot be read, so it may run no hook of it",
				Detail: err.Error(), File: file.Path, Todo: "correct the file; the host's own start says more"})
		}
	}
	if e.asked(hookio.HostClaudeCode) {
		for _, root := range e.plugins() {
			e.plugin(root)
		}
	}
	if len(e.entries) > 0 {
		return
	}
	f := Finding{ID: "not_installed", Severity: Error, Title: "stophook is not installed: no host calls it",
		Detail: "No settings file of a known host has an entry that runs `stophook hook`.", Todo: "run `stophook install`"}
	if e.Host != hookio.HostAuto {
		f.Title = fmt.Sprintf("stophook is not installed for %s", install.Title(e.Host))
		f.Detail = "None of its settings files has an entry that runs `stophook hook`: " + strings.Join(e.files(), ", ")
		f.Todo = fmt.Sprintf("run `stophook install --host %s`", e.Host)
	}
	e.add(f)
}

// split takes joined errors apart.
func split(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	if err == nil {
		return nil
	}
	return []error{err}
}

// files are the settings files of the host that is asked about.
func (e *exam) files() []string {
	var list []string
	for _, f := range e.settingsFiles() {
		if e.asked(f.Host) {
			list = append(list, f.Path)
		}
	}
	return list
}

// claudeDir is where Claude Code keeps what belongs to the person.
func (e *exam) claudeDir() string {
	if dir := e.getenv("CLAUDE_CONFIG_DIR"); dir != "" {
		return dir
	}
	if e.Env.Home == "" {
		return ""
	}
	return filepath.Join(e.Env.Home, ".claude")
}

// plugins are the folders of the Claude Code plugins named stophook that are
// installed and not switched off.
func (e *exam) plugins() []string {
	var doc struct {
		Plugins map[string]json.RawMessage `json:"plugins"`
	}
	data, err := os.ReadFile(filepath.Join(e.claudeDir(), "plugins", "installed_plugins.json"))
	if err != nil || json.Unmarshal(data, &doc) != nil {
		return nil
	}
	type place struct {
		InstallPath string `json:"installPath"`
	}
	var roots []string
	for name, raw := range doc.Plugins {
		var places []place // a list since version 2 of the file
		var one place
		if json.Unmarshal(raw, &places) != nil && json.Unmarshal(raw, &one) == nil {
			places = append(places, one)
		}
		if first, _, _ := strings.Cut(name, "@"); first != "stophook" || !e.pluginEnabled(name) {
			continue
		}
		for _, p := range places {
			if p.InstallPath != "" && !slices.Contains(roots, p.InstallPath) {
				roots = append(roots, p.InstallPath)
			}
		}
	}
	slices.Sort(roots)
	return roots
}

// pluginEnabled asks the settings files; a plugin that none names is not enabled.
func (e *exam) pluginEnabled(name string) bool {
	enabled := false
	for _, s := range e.claudeSettings() {
		if v := s.get("enabledPlugins", name); v != "" {
			enabled = v == "true"
		}
	}
	return enabled
}

// plugin reads the hooks of one plugin.
func (e *exam) plugin(root string) {
	file := filepath.Join(root, "hooks", "hooks.json")
	found, err := install.InFile(install.File{Host: hookio.HostClaudeCode, Scope: install.ScopeUser, Path: file})
	if err != nil {
		e.add(Finding{ID: "plugin_broken", Severity: Error, Title: "the plugin's hooks cannot be read", Detail: err.Error(), File: file,
			Todo: "install the plugin again: /plugin in Claude Code"})
	}
	for _, in := range found {
		e.entries = append(e.entries, entry{Entry: in, plugin: root})
	}
}

// doubles finds events for which a host calls stophook more than once.
func (e *exam) doubles() {
	type key struct {
		host  hookio.Host
		event string
	}
	calls := map[key][]entry{}
	var order []key
	for _, in := range e.entries {
		if !stops(in.Event) {
			continue
		}
		k := key{in.Host, in.Event}
		if calls[k] == nil {
			order = append(order, k)
		}
		calls[k] = append(calls[k], in)
	}
	for _, k := range order {
		if len(calls[k]) > 1 {
			e.double(calls[k])
		}
	}
	e.mirrored()
}

// double tells about entries for one event of one host.
func (e *exam) double(all []entry) {
	var places []string
	same, plugins := true, 0
	for _, in := range all {
		places = append(places, fmt.Sprintf("%s:%d", in.File, in.Line))
		same = same && in.Command == all[0].Command && slices.Equal(in.Args, all[0].Args) && in.plugin == all[0].plugin
		if in.plugin != "" {
			plugins++
		}
	}
	f := Finding{ID: "double_load", Severity: Warning, File: all[1].File, Line: all[1].Line,
		Title:  fmt.Sprintf("%s calls stophook %d times at every %s", install.Title(all[0].Host), len(all), all[0].Event),
		Detail: strings.Join(places, "\n"), Todo: "keep one: `stophook uninstall --scope SCOPE` takes the other out"}
	switch {
	case plugins > 0 && plugins < len(all):
		f.Detail += "\nOne of them is a plugin, and the host runs both."
		f.Todo = "keep one: `stophook uninstall`, or disable the plugin with /plugin"
	case same && all[0].Host == hookio.HostClaudeCode && len(all[0].Args) == len(all[1].Args):
		f.Severity, f.Title = Note, fmt.Sprintf("%s has the same call in %d settings files, and runs it once", install.Title(all[0].Host), len(all))
	}
	e.add(f)
}

// mirrored finds hosts that read Claude Code's settings beside their own.
func (e *exam) mirrored() {
	at := slices.IndexFunc(e.entries, func(in entry) bool { return in.Host == hookio.HostClaudeCode && in.plugin == "" && stops(in.Event) })
	if at < 0 {
		return
	}
	claude := e.entries[at]
	for _, in := range e.entries {
		if (in.Host == hookio.HostCursor || in.Host == hookio.HostCopilot) && stops(in.Event) {
			e.add(Finding{ID: "double_load", Severity: Warning, File: in.File, Line: in.Line,
				Title:  fmt.Sprintf("%s also reads the hooks of Claude Code, and calls stophook twice", install.Title(in.Host)),
				Detail: fmt.Sprintf("%s:%d\n%s:%d", claude.File, claude.Line, in.File, in.Line),
				Todo:   fmt.Sprintf("run `stophook uninstall --host %s`, or switch the reading of Claude Code's hooks off in %s", in.Host, install.Title(in.Host))})
		}
	}
}

// stops tells whether an event, in the words of any host, is the end of a turn.
func stops(event string) bool {
	return slices.Contains([]string{"Stop", "stop", "AfterAgent", "agentStop"}, event)
}
