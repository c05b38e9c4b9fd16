package policy_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/policy"
	"github.com/stophook/stophook/policy/hookio"
)

func TestParseProfile(t *testing.T) {
	for _, p := range policy.Profiles() {
		if got, err := policy.ParseProfile(strings.ToUpper(string(p))); got != p || err != nil {
			t.Errorf("%s: %s, %v", p, got, err)
		}
	}
	if got, err := policy.ParseProfile(""); got != policy.ProfileRitual || err != nil {
		t.Errorf("no name: %s, %v", got, err)
	}
	if got, err := policy.ParseProfile("strict"); got != policy.ProfileRitual || err == nil || !strings.Contains(err.Error(), "ritual, evidence, background or observe") {
		t.Errorf("unknown: %s, %v", got, err)
	}
}

// A profile is below all files: they decide, and can only make it stricter, because
// it does nothing but switch off.
func TestProfile_layering(t *testing.T) {
	off := policy.RuleConfig{Severity: policy.SeverityOff}
	for _, tc := range []struct {
		reason  string
		profile policy.Profile
		files   []string
		want    map[string]policy.RuleConfig
		warned  int
	}{
		{"the default is the default", policy.ProfileRitual, nil, map[string]policy.RuleConfig{}, 0},
		{"observe judges as the default", policy.ProfileObserve, nil, map[string]policy.RuleConfig{}, 0},
		{"evidence", policy.ProfileEvidence, nil, map[string]policy.RuleConfig{"task_declared": off, "session_named": off}, 0},
		{"background", policy.ProfileBackground, nil,
			map[string]policy.RuleConfig{"status_check": off, "status_box": off, "task_declared": off, "session_named": off}, 0},
		{"a project makes it stricter", policy.ProfileEvidence, []string{"", "rules: {task_declared: {severity: block}}"},
			map[string]policy.RuleConfig{"task_declared": {Severity: policy.SeverityBlock}, "session_named": off}, 0},
		{"one key of a rule leaves the other", policy.ProfileEvidence, []string{"rules: {task_declared: {fail: closed}}"},
			map[string]policy.RuleConfig{"task_declared": {Severity: policy.SeverityOff, Fail: policy.FailClosed}, "session_named": off}, 0},
		{"between files the higher one stays", policy.ProfileBackground,
			[]string{"rules: {status_box: {severity: warn}}", "rules: {status_box: {severity: observe}}"},
			map[string]policy.RuleConfig{"status_check": off, "status_box": {Severity: policy.SeverityWarn}, "task_declared": off, "session_named": off}, 1},
	} {
		dir := t.TempDir()
		var sources []policy.Source
		for i, text := range tc.files {
			path := filepath.Join(dir, string(rune('a'+i))+".yaml")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			sources = append(sources, policy.Source{Path: path})
		}
		config, warnings, err := tc.profile.LoadConfig(sources)
		if err != nil || len(warnings) != tc.warned {
			t.Errorf("%s: %v, warnings %v", tc.reason, err, warnings)
		}
		if diff := cmp.Diff(tc.want, config.Rules); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
		}
		config.Rules = nil
		want := policy.DefaultConfig()
		want.Rules = nil
		if diff := cmp.Diff(want, config); diff != "" {
			t.Errorf("%s: a profile changes rules alone (-want +got):\n%s", tc.reason, diff)
		}
		if tc.profile.Shadow() != (tc.profile == policy.ProfileObserve) {
			t.Errorf("%s: shadow", tc.reason)
		}
	}
}

// The rules that a profile switches off are ours, by name; and the agent is told at
// the start what is left.
func TestProfile_rulesExist(t *testing.T) {
	for profile, brief := range map[policy.Profile][]string{
		policy.ProfileRitual:     {"status --end-turn", "task", "name"},
		policy.ProfileEvidence:   {"status --end-turn"},
		policy.ProfileBackground: nil,
	} {
		engine, err := policy.NewEngine(t.Context(), policy.EngineOptions{Event: "Stop"})
		if err != nil {
			t.Fatal(err)
		}
		known := map[string]bool{}
		for _, r := range engine.Rules() {
			known[r.Name] = true
		}
		for name := range profile.Config().Rules {
			if !known[name] {
				t.Errorf("%s switches %s off, which is no rule", profile, name)
			}
		}
		g := policy.Gate{Config: profile.Config(), Command: "stophook", Now: func() time.Time { return time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC) }}
		text, err := g.Briefing(t.Context(), &hookio.Event{Host: hookio.HostClaudeCode, Name: hookio.SessionStart})
		if err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(text, "\n") + min(1, len(text)); lines != len(brief) {
			t.Errorf("%s: briefing %q, want %d lines", profile, text, len(brief))
		}
		for _, want := range brief {
			if !strings.Contains(text, "`stophook "+want) {
				t.Errorf("%s: briefing %q does not say %s", profile, text, want)
			}
		}
	}
}
