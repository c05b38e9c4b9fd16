package policy

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stophook/stophook/policy/decisionlog"
)

func TestLoadConfig_LowerLayersOnlyTighten(t *testing.T) {
	tests := []struct {
		name             string
		org, user        string
		key              string
		want             any
		warns, isNeutral bool
		reason           string
	}{
		{"defer shorter", "defer_minutes: 20", "defer_minutes: 10", "defer_minutes", 10, false, false, "ends sooner"},
		{"defer longer", "defer_minutes: 10", "defer_minutes: 20", "defer_minutes", 10, true, false, "would end later"},
		{"defer same", "defer_minutes: 10", "defer_minutes: 10", "defer_minutes", 10, false, false, "no attempt at all"},
		{"highest decides", "defer_minutes: 30", "-", "defer_minutes", 30, false, false, "as loose as the bounds allow"},
		{"only the lower", "-", "defer_minutes: 30\nremediation_cap: 1", "remediation_cap", 1, false, false, "the highest that sets it, whichever that is"},
		{"cap higher", "remediation_cap: 3", "remediation_cap: 7", "remediation_cap", 7, false, false, "insists longer"},
		{"cap lower", "remediation_cap: 3", "remediation_cap: 1", "remediation_cap", 3, true, false, "would give in sooner"},
		{"closing to any_text", "closing: ended", "closing: any_text", "closing", "any_text", false, false, "closes no later"},
		{"closing to ended", "closing: any_text", "closing: ended", "closing", "any_text", true, false, "would defer longer"},
		{"scope to turn", "task_scope: session", "task_scope: turn", "task_scope", "turn", false, false, "demands more"},
		{"scope to session", "task_scope: turn", "task_scope: session", "task_scope", "turn", true, false, "would demand less"},
		{"box on", "box_on_prose: false", "box_on_prose: true", "box_on_prose", true, false, false, "demands more"},
		{"box off", "box_on_prose: true", "box_on_prose: false", "box_on_prose", true, true, false, "would demand less"},
		{"git off", "require_git_finalization: true", "require_git_finalization: false", "require_git_finalization", true, true, false, "would demand less"},
		{"style", "block_style: decision", "block_style: feedback", "block_style", "decision", true, true, "a matter of looks: the higher file decides"},
		{"window wider", "window_bytes: 1000000", "window_bytes: 2000000", "window_bytes", 2000000, false, false, "sees more of the turn"},
		{"window narrower", "window_bytes: 1000000", "window_bytes: 65536", "window_bytes", 1000000, true, false, "could hide the turn's start"},
		{"box window narrower", "box_window_bytes: 100000", "box_window_bytes: 5000", "box_window_bytes", 5000, false, false, "lets fewer stops pass"},
		{"box window wider", "box_window_bytes: 100000", "box_window_bytes: 200000", "box_window_bytes", 100000, true, false, "lets more stops pass"},
		{"severity up", "rules: {x: {severity: off}}", "rules: {x: {severity: observe}}", "rules.x.severity", "observe", false, false, "off is the lowest"},
		{"severity down", "rules: {x: {severity: block}}", "rules: {x: {severity: warn}}", "rules.x.severity", "block", true, false, "would only warn"},
		{"severity off", "rules: {x: {severity: observe}}", "rules: {x: {severity: off}}", "rules.x.severity", "observe", true, false, "would see nothing"},
		{"other rule", "rules: {x: {severity: block}}", "rules: {y: {severity: off}}", "rules.y.severity", "off", false, false, "nobody above said anything about y"},
		{"fail closed", "rules: {x: {fail: open}}", "rules: {x: {fail: closed}}", "rules.x.fail", "closed", false, false, "stricter"},
		{"log off", "log: {enabled: true}", "log: {enabled: false}", "log.enabled", true, true, false, "the record stays"},
		{"log smaller", "log: {max_bytes: 100000}", "log: {max_bytes: 70000}", "log.max_bytes", 100000, true, false, "the record stays as long"},
		{"params", "params: {a: 1}", "params: {a: 2, b: 3}", "params.a", int64(1), true, true, "decided key by key"},
		{"params other key", "params: {a: 1}", "params: {a: 1, b: 3}", "params.b", int64(3), false, false, "a key that nobody above set"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sources := configFiles(t, tt.org, tt.user)
			cfg, warnings, err := LoadConfig(sources)
			if err != nil {
				t.Fatal(err)
			}
			got := any(cfg.Effective())
			for _, part := range strings.Split(tt.key, ".") {
				got = got.(map[string]any)[part]
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
			}
			if len(warnings) != 0 != tt.warns {
				t.Fatalf("%s: warnings %v", tt.reason, warnings)
			}
			for _, w := range warnings {
				if w.Neutral != tt.isNeutral || w.Line != 1 || !strings.Contains(w.String(), sources[0].Path+":1") || !strings.Contains(w.String(), sources[1].Path+":1") {
					t.Errorf("a warning names both files and their lines: %s", w)
				}
			}
		})
	}
}

func TestLoadConfig_TheTightestOfAllLayersBinds(t *testing.T) {
	sources := configFiles(t, "defer_minutes: 20", "defer_minutes: 5", "defer_minutes: 10", "defer_minutes: 2")
	cfg, warnings, err := LoadConfig(sources)
	if err != nil || cfg.DeferMinutes != 2 {
		t.Fatalf("%d, %v", cfg.DeferMinutes, err)
	}
	want := []Warning{{Key: "defer_minutes", File: sources[2].Path, Line: 1, Value: "10", KeptFile: sources[1].Path, KeptLine: 1, KeptValue: "5"}}
	if diff := cmp.Diff(want, warnings); diff != "" {
		t.Errorf("the warning names the file that binds, not the highest (-want +got):\n%s", diff)
	}
}

func TestLoadConfig_MasksAddUp(t *testing.T) {
	cfg, warnings, err := LoadConfig(configFiles(t,
		"log: {mask: [/input/a, {op: upsert, path: /input/b, value: x}]}", "log: {mask: [/input/b, /input/c]}", "log: {mask: []}"))
	want := []decisionlog.Mask{{Op: "remove", Path: "/input/a"}, {Op: "upsert", Path: "/input/b", Value: "x"}, {Op: "remove", Path: "/input/c"}}
	if err != nil || len(warnings) > 0 || !cmp.Equal(want, cfg.Log.Mask) {
		t.Errorf("%v %v\n%s", warnings, err, cmp.Diff(want, cfg.Log.Mask))
	}
}

// nested turns dotted keys into a document, with NAME for the star.
func nested(flat map[string]any) map[string]any {
	out := map[string]any{}
	for path, v := range flat {
		at := out
		parts := strings.Split(strings.ReplaceAll(path, "*", "some_rule"), ".")
		for _, p := range parts[:len(parts)-1] {
			if at[p] == nil {
				at[p] = map[string]any{}
			}
			at = at[p].(map[string]any)
		}
		at[parts[len(parts)-1]] = v
	}
	return out
}

// TestLoadConfig_AgreesWithANaiveModel compares layering with the plain reading
// of it: of all values given, starting at the highest, keep the strictest.
func TestLoadConfig_AgreesWithANaiveModel(t *testing.T) {
	rank := func(spec *keySpec, v any) int64 {
		switch v := v.(type) {
		case int64:
			return v
		case bool:
			return boolRank(v)
		default:
			return int64(slices.Index(spec.values, v.(string)))
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		var layers []map[string]any
		var texts []string
		for i := range rapid.IntRange(1, 4).Draw(rt, "layers") {
			flat := rapidConfig(rt, fmt.Sprint(i))
			data, err := json.Marshal(nested(flat))
			if err != nil {
				rt.Fatal(err)
			}
			layers, texts = append(layers, flat), append(texts, string(data))
		}
		cfg, warnings, err := LoadConfig(configFiles(t, texts...))
		if err != nil {
			rt.Fatal(err)
		}
		want, refused := map[string]any{}, 0
		for _, spec := range configSpecs() {
			for _, layer := range layers {
				v, ok := layer[spec.path]
				if !ok {
					continue
				}
				have, decided := want[spec.path]
				switch {
				case !decided:
					want[spec.path] = v
				case rank(&spec, v) == rank(&spec, have):
				case spec.strict != strictNeither && (rank(&spec, v) > rank(&spec, have)) == (spec.strict == strictLarger):
					want[spec.path] = v
				default:
					refused++
				}
			}
		}
		expect := DefaultConfig()
		for path, v := range want {
			expect.set(strings.ReplaceAll(path, "*", "some_rule"), v)
		}
		if diff := cmp.Diff(expect, cfg); diff != "" {
			rt.Fatalf("(-model +got):\n%s", diff)
		}
		if len(warnings) != refused {
			rt.Fatalf("%d warnings, want %d: %v", len(warnings), refused, warnings)
		}
		if err := cfg.Validate(); err != nil {
			rt.Fatal(err)
		}
	})
}
