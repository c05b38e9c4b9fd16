package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/stophook/stophook/policy"
)

// policies compiles what the hook would compile in this project.
func (e *exam) policies(ctx context.Context) {
	config, warnings, err := policy.LoadConfig(policy.DefaultSources(e.getenv, e.Env.Home, e.Project))
	e.configErrors(err)
	for _, w := range warnings {
		e.add(Finding{ID: "config_ignored", Severity: Warning, Title: "a setting is not in force: a higher layer is stricter", Detail: w.String(), File: w.File, Line: w.Line,
			Todo: "remove it here, or change it there"})
	}
	if !config.Log.Enabled {
		e.add(Finding{ID: "log_off", Severity: Note, Title: "decisions are not logged (log.enabled: false), so `stophook log` shows none"})
	}
	e.capVariable(config.RemediationCap)
	layers, err := policy.FindLayers(e.getenv, e.Env.Home, e.Project, nil)
	if err != nil {
		e.add(Finding{ID: "policies_unreadable", Severity: Error, Title: "the policies cannot be read, so nothing is checked", Detail: err.Error()})
	}
	settings := map[string]policy.RuleSetting{}
	for name, rule := range config.Rules {
		settings[name] = policy.RuleSetting(rule)
	}
	engine, err := policy.NewEngine(ctx, policy.EngineOptions{Layers: layers, Event: "Stop", RuleSettings: settings, Now: e.Now})
	var faults policy.PolicyErrors
	switch {
	case errors.As(err, &faults):
		for i, f := range faults {
			if i > 0 && f.File == faults[i-1].File && f.Line == faults[i-1].Line {
				continue // one typing mistake, and all that the parser says of it
			}
			found := Finding{ID: "policy_error", Severity: Error, Title: "a policy does not compile, so nothing is checked: " + firstLine(f.Message),
				File: f.File, Line: f.Line, Todo: "correct it; `stophook check` finds all faults at once"}
			if strings.Contains(f.Hint, "\n") { // an example to copy
				found.Detail = f.Hint
			} else if f.Hint != "" {
				found.Todo = f.Hint
			}
			e.add(found)
		}
	case err != nil:
		e.add(Finding{ID: "policy_error", Severity: Error, Title: "the policies do not load, so nothing is checked", Detail: err.Error()})
	default:
		e.add(Finding{ID: "policies", Severity: OK, Title: fmt.Sprintf("%d rules compile, of %s", len(engine.Rules()), layerWords(layers))})
	}
	e.unseen(layers)
}

// configErrors gives every fault of the configuration its place.
func (e *exam) configErrors(err error) {
	for _, err := range split(err) {
		f := Finding{ID: "config_error", Severity: Error, Title: "the configuration is broken, so nothing is checked", Detail: err.Error(), Todo: "correct it"}
		if c, ok := errors.AsType[*policy.ConfigError](err); ok {
			f.File, f.Line, f.Todo = c.File, c.Line, c.Advice
			f.Title += ": " + firstLine(strings.TrimPrefix(c.Key+": "+c.Problem, ": "))
			f.Detail = ""
			if c.Allowed != "" {
				f.Detail = "Allowed is " + c.Allowed + "."
			}
		}
		e.add(f)
	}
}

func layerWords(layers []policy.Layer) string {
	words := []string{"the built-in layer"}
	for _, l := range layers {
		words = append(words, fmt.Sprintf("%s (%s)", l.Name, l.Root))
	}
	return strings.Join(words, ", ")
}

// unseen finds rules that somebody has written where the hook does not look.
func (e *exam) unseen(layers []policy.Layer) {
	seen := func(dir string) bool {
		info, err := os.Stat(dir)
		if err != nil {
			return false
		}
		for _, l := range layers {
			if other, err := os.Stat(l.Root); err == nil && os.SameFile(info, other) {
				return true
			}
		}
		return false
	}
	say := func(dir, why, todo string) {
		if !seen(dir) && hasRego(dir) {
			e.add(Finding{ID: "policies_unseen", Severity: Warning, Title: "policies lie where the hook does not look for them", Detail: why, File: dir, Todo: todo})
		}
	}
	if e.Project != "" {
		dir := filepath.Join(e.Project, ".stophook")
		if found, _ := filepath.Glob(filepath.Join(dir, "*.rego")); len(found) > 0 {
			e.add(Finding{ID: "policies_unseen", Severity: Warning, Title: "policies lie where the hook does not look for them",
				Detail: "It reads .stophook/policies, not .stophook itself.", File: found[0], Todo: "move them into " + filepath.Join(dir, "policies")})
		}
	}
	if home := e.Env.Home; home != "" && home != e.Project {
		say(filepath.Join(home, ".stophook", "policies"), "Policies of a person are read from ~/.config/stophook/policies.", "move them there")
	}
	for at := e.Workdir; filepath.IsAbs(at) && at != e.Project && at != e.Env.Home && at != filepath.Dir(at); at = filepath.Dir(at) {
		say(filepath.Join(at, ".stophook", "policies"), "The project is "+e.Project+", and one project has one folder of policies.", "move them to the project's, or start the agent there")
	}
	for _, l := range layers {
		if !hasRego(l.Root) {
			e.add(Finding{ID: "policies_empty", Severity: Note, Title: "a policy folder has no rule in it", File: l.Root, Todo: "`stophook policy new NAME` makes one"})
		}
	}
}

// hasRego tells whether a tree holds a policy file that the hook would read.
func hasRego(dir string) bool {
	found := false
	policy.Layer{FS: os.DirFS(dir), Root: dir}.Each(false, func(_ string, _ []byte, err error) { found = found || err == nil })
	return found
}
