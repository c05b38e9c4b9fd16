package check

import (
	"os"
	"testing"
	"testing/fstest"

	"github.com/stophook/stophook/internal/term"
	"github.com/stophook/stophook/policy"
)

// TestCheck_builtin: the built-in rules, their tests and the aggregator are in order.
func TestCheck_builtin(t *testing.T) {
	r := checkDirs(t, Options{Builtin: true}, "../../rego")
	if len(r.Findings) > 0 || r.Rules < 7 || r.Files < 16 {
		_ = r.WriteText(os.Stderr, term.Style{})
		t.Errorf("%d findings, %d files, %d rules", len(r.Findings), r.Files, r.Rules)
	}
	if r := checkDirs(t, Options{}, "../../rego"); r.Errors < 8 {
		t.Errorf("as somebody's own policies they take names that are taken: %d errors", r.Errors)
	}
}

func layerOf(files map[string]string) []Target {
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return []Target{{Layer: policy.Layer{Name: "project", FS: fsys, Root: "p"}}}
}

// FuzzCheck: no bytes make the check panic, and what has no error loads in the hook,
// which the check itself makes sure of.
func FuzzCheck(f *testing.F) {
	for _, src := range []string{ruleA, ruleB, lib, "", "\ufeff", "package a", "# METADATA\npackage a\n", "# METADATA\n# custom: [\n\n# METADATA\n# x: {y\npackage a\n",
		"package stophook.deferrals.d\n\ndefer contains {\"code\": 1, \"task_id\": h.age_seconds} if {\n\tsome h in input.handoffs\n\th.age_seconds < 60 * 3600 / 0\n}\n",
		"package a\n\nx[y] := z if { y := object.get(input, [\"turn\", 1, null], x) }\n\nelse := 1 if every a, b in input.tasks { a.b }\n",
		"package a\n\ntest_x if data.b with input as object.union({\"turn\": [{}]}, q) with data.c.d as 1\n\nq := {\"tasks\": [{\"x\": 1}]}\n",
		"package a.b[\"c d\"]\n\nimport input.turn as input\nimport data\nimport rego.v1\n\nf(x, [y, {\"a\": z}]) := x.y.z\n\ndefault f(_, _) := 1\n",
		"package p\n\nx if {\n\ty\n\nz if { 1 == }\n\n`\n# METADATA\n`\n", "package stophook.rules.a\n\ndemand[x][y] contains z if x\n",
		"package stophook.rules.r\n\ndemand contains {\"text\": t, t: 1} if t := sprintf(t, [t])\n\nt := t\n"} {
		f.Add(src, "package a_test\n\ntest_a if data.a.x\n")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		targets := layerOf(map[string]string{"a.rego": a, "a_test.rego": b})
		r, err := Check(targets, Options{})
		if err != nil {
			t.Fatal(err)
		}
		lines := map[string][]string{}
		for _, x := range r.Findings {
			if x.Line < 0 || x.Col < 0 || x.Message == "" || x.Kind == "" || x.File != "p/a.rego" && x.File != "p/a_test.rego" {
				t.Errorf("a finding that leads nowhere: %+v", x)
			}
			lines[x.File] = append(lines[x.File], x.Kind)
		}
		if r.Errors > 0 {
			return
		}
		if _, err := policy.NewEngine(t.Context(), policy.EngineOptions{Layers: []policy.Layer{targets[0].Layer}}); err != nil {
			t.Errorf("no error, and yet the hook does not load it: %v", err)
		}
	})
}
