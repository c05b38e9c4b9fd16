package examples

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/loader"

	"github.com/stophook/stophook/internal/term"
	"github.com/stophook/stophook/policy/check"
	"github.com/stophook/stophook/policy/policytest"
	"github.com/stophook/stophook/policy/schema"
	"github.com/stophook/stophook/rego"
)

// names are the ten rules that the tutorial goes through.
func names() []string {
	return []string{
		"changelog_entry", "commit_pushed", "directory_rules", "docs_with_api", "no_claim_without_command",
		"no_failing_tests", "no_todo", "quiet_hours", "tests_after_edit", "wait_for_monitors",
	}
}

func TestExamples_areTheTen(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, e := range entries {
		if e.IsDir() {
			found = append(found, e.Name())
		}
	}
	if !slices.Equal(found, names()) {
		t.Errorf("%q", found)
	}
}

// Each folder passes its tests by itself, all lines of it are reached by them, and
// one of its cases blocks and one passes.
func TestExamples_testAlone(t *testing.T) {
	for _, dir := range names() {
		t.Run(dir, func(t *testing.T) {
			r := run(t, policytest.Options{Dirs: []string{dir}, Cover: true, CoverMin: 100})
			verdicts := map[string]int{}
			rules := 0
			for _, f := range r.Folders {
				for _, test := range f.Tests {
					if test.Kind == policytest.KindCase {
						verdicts[test.Case.Verdict]++
					} else {
						rules++
					}
				}
			}
			if rules < 5 || verdicts["block"] == 0 || verdicts["allow"]+verdicts["defer"] == 0 {
				t.Errorf("%d Rego tests, cases by verdict: %v", rules, verdicts)
			}
		})
	}
}

// They also stand beside each other, as in a project that copies them all.
func TestExamples_testTogether(t *testing.T) {
	if r := run(t, policytest.Options{Dirs: []string{"."}}); len(r.Folders) != len(names()) {
		t.Errorf("%d folders", len(r.Folders))
	}
}

func run(t *testing.T, opts policytest.Options) *policytest.Report {
	t.Helper()
	r, err := policytest.Run(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	if r.ExitCode() != 0 {
		var text bytes.Buffer
		if err := r.WriteText(&text, policytest.TextOptions{}); err != nil {
			t.Fatal(err)
		}
		t.Fatal(text.String())
	}
	return r
}

// `stophook check` and `stophook fmt --check` have nothing to say.
func TestExamples_passCheckAndFormat(t *testing.T) {
	for _, dirs := range [][]string{names(), {"."}} {
		targets, err := check.Targets(dirs)
		if err != nil {
			t.Fatal(err)
		}
		for _, target := range targets {
			r, err := check.Check([]check.Target{target}, check.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Findings) > 0 {
				var text bytes.Buffer
				if err := r.WriteText(&text, term.Style{}); err != nil {
					t.Fatal(err)
				}
				t.Error(text.String())
			}
		}
	}
	files, err := check.FormatFiles([]string{"."}, false)
	if err != nil || len(files) < 2*len(names()) {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, f := range files {
		if f.Err != nil || f.Changed() {
			t.Errorf("%s is not as stophook fmt writes it: %v", f.Path, f.Err)
		}
	}
}

// typeCheck is what `opa check --schema DIR` does: METADATA say which document has
// which schema.
func typeCheck(t *testing.T, files map[string]string) error {
	t.Helper()
	dir := t.TempDir() // as `stophook schema --write` fills it
	for _, name := range schema.Names() {
		text, err := schema.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name+".json"), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	set, err := loader.Schemas(dir)
	if err != nil {
		t.Fatal(err)
	}
	modules := map[string]*ast.Module{}
	for name, src := range files {
		m, err := ast.ParseModuleWithOpts(name, src, ast.ParserOptions{ProcessAnnotation: true, RegoVersion: ast.RegoV1})
		if err != nil {
			t.Fatal(err)
		}
		modules[name] = m
	}
	c := ast.NewCompiler().WithSchemas(set).WithUseTypeCheckAnnotations(true)
	c.Compile(modules)
	if c.Failed() {
		return c.Errors
	}
	return nil
}

// sources are the policies below a folder, tests excepted.
func sources(t *testing.T, pattern string) map[string]string {
	t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) == 0 {
		t.Fatalf("no policy found: %v", err)
	}
	files := map[string]string{}
	for _, f := range found {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(f, "_test.rego") {
			files[f] = string(data)
		}
	}
	return files
}

const annotation = "# schemas:\n#   - input: schema.input\n"

func TestExamples_fitTheInputSchema(t *testing.T) {
	for name, src := range sources(t, "*/*.rego") {
		if !strings.Contains(src, annotation) {
			t.Errorf("%s does not name the schema of its input", name)
		}
	}
	if err := typeCheck(t, sources(t, "*/*.rego")); err != nil {
		t.Error(err)
	}
	if err := typeCheck(t, map[string]string{"x.rego": "# METADATA\n" + annotation + "package x\n\np if input.handofs"}); err == nil {
		t.Error("a field that is not there is no error")
	}
}

// The built-in rules carry no annotation, since the hook would carry it along.
// They fit the schema all the same.
func TestBuiltinRules_fitTheInputSchema(t *testing.T) {
	files := map[string]string{}
	for name, src := range sources(t, "../../rego/*/*.rego") {
		if strings.Contains(src, annotation) {
			t.Errorf("%s has the annotation already", name)
		}
		head, rest, found := strings.Cut(src, "\npackage ")
		switch {
		case !found:
			files[name] = "# METADATA\n# scope: package\n" + annotation + src
		case strings.Contains(head, "# METADATA"):
			files[name] = head + "\n" + annotation + "package " + rest
		default:
			files[name] = head + "\n\n# METADATA\n# scope: package\n" + annotation + "package " + rest
		}
	}
	if err := typeCheck(t, files); err != nil {
		t.Error(err)
	}
	if len(files) < 8 || len(rego.Compiled()) == 0 {
		t.Errorf("%d built-in policies", len(files))
	}
	for name, src := range files {
		files[name] = strings.ReplaceAll(src, "input.turn.is_tool_turn", "input.turn.is_a_tool_turn")
	}
	if typeCheck(t, files) == nil {
		t.Error("a field that is not there is no error")
	}
}
