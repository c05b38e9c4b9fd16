package check

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tree writes files below a new folder and makes it the working folder.
func tree(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

const (
	ruleA = "# METADATA\n# custom: {code: acme.a}\npackage stophook.rules.a\n\nimport data.acme.lib\n\ndemand contains {\"text\": \"Run `make`.\"} if lib.busy\n"
	ruleB = "# METADATA\n# custom: {code: acme.b}\npackage stophook.rules.b\n\ndemand contains {\"text\": \"Run `make`.\"} if input.handofs\n"
	lib   = "package acme.lib\n\nbusy if input.turn.is_tool_turn\n"
)

func kinds(r *Report) []string {
	var list []string
	for _, f := range r.Findings {
		list = append(list, f.File+" "+f.Kind)
	}
	return list
}

// TestTargets_context: one rule and one file are checked with what lies beside them,
// and only what they have themselves is told.
func TestTargets_context(t *testing.T) {
	tree(t, map[string]string{
		".stophook/policies/a/a.rego": ruleA, ".stophook/policies/b/b.rego": ruleB, ".stophook/policies/lib/lib.rego": lib,
		".stophook/policies/b/bad_test.rego": "package b_test\n\ntest_x if input.nothing\n",
		".stophook/config.yaml":              "defer_minutes: 31\n",
		"other/a.rego":                       ruleA, "other/lib.rego": lib,
	})
	b, test := ".stophook/policies/b/b.rego unknown-input-field", ".stophook/policies/b/bad_test.rego unknown-input-field"
	config := ".stophook/config.yaml threshold-out-of-bound"
	for _, tc := range []struct {
		reason string
		paths  []string
		files  int
		want   []string
	}{
		{"a folder of rules, with the configuration beside it", []string{".stophook/policies"}, 4, []string{config, b, test}},
		{"the folder of one rule uses the helpers beside it", []string{".stophook/policies/a"}, 1, nil},
		{"the faults of a rule", []string{".stophook/policies/b/"}, 2, []string{b, test}},
		{"one file", []string{".stophook/policies/b/b.rego"}, 1, []string{b}},
		{"one test", []string{".stophook/policies/b/bad_test.rego"}, 1, []string{test}},
		{"a file of another folder, with that folder as context", []string{"other/a.rego"}, 1, nil},
		{"two layers cannot have the same rule", []string{"other", ".stophook/policies/a"}, 3, []string{".stophook/policies/a/a.rego package-collision"}},
		{"dots", []string{"./.stophook/../.stophook/policies/a"}, 1, nil},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			r := checkDirs(t, Options{}, tc.paths...)
			if got := kinds(r); !slices.Equal(got, tc.want) || r.Files != tc.files {
				t.Errorf("%d files, %q", r.Files, got)
			}
		})
	}
}

func TestTargets_here(t *testing.T) {
	tree(t, map[string]string{"b.rego": ruleB, "sub/lib.rego": lib, "sub/b2.rego": strings.Replace(ruleB, "input.handofs", "true", 1), ".hidden/x.rego": "broken", "notes.txt": ""})
	if got := kinds(checkDirs(t, Options{}, ".")); len(got) != 2 {
		t.Errorf("the copy below has the same name: %q", got)
	}
	for _, path := range []string{"b.rego", "./b.rego"} {
		if got := kinds(checkDirs(t, Options{}, path)); !slices.Equal(got, []string{"b.rego unknown-input-field"}) {
			t.Errorf("%s: %q", path, got)
		}
	}
}

func TestTargets_refuses(t *testing.T) {
	tree(t, map[string]string{"notes.txt": "", "empty/x.json": "{}"})
	for path, mention := range map[string]string{"nowhere": "nowhere: there is no such folder", "notes.txt": "is no .rego file"} {
		if _, err := Targets([]string{path}); err == nil || !strings.Contains(err.Error(), mention) {
			t.Errorf("%s: %v", path, err)
		}
	}
	targets, err := Targets([]string{"empty"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Check(targets, Options{}); !errors.Is(err, ErrNoPolicies) || !strings.Contains(err.Error(), "empty") {
		t.Errorf("a run that found nothing: %v", err)
	}
}

// TestCheck_unreadable: what cannot be read is a finding and hides nothing else.
func TestCheck_unreadable(t *testing.T) {
	tree(t, map[string]string{"p/b.rego": ruleB})
	if err := os.Symlink("nowhere", "p/a.rego"); err != nil {
		t.Fatal(err)
	}
	if got := kinds(checkDirs(t, Options{}, "p")); !slices.Equal(got, []string{"p/a.rego unreadable", "p/b.rego unknown-input-field"}) {
		t.Errorf("%q", got)
	}
}
