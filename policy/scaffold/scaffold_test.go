package scaffold

import (
	"context"
	"errors"
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
)

// TestNew: what is made passes the check, the formatter and its own tests as it is,
// whatever the options.
func TestNew(t *testing.T) {
	for _, tc := range []struct {
		reason string
		opts   Options
	}{
		{"a rule for Stop", Options{Name: "tests_ran"}},
		{"a rule for the tool call", Options{Name: "no_force_push", Event: "PreToolUse"}},
		{"a deferral", Options{Name: "release_running", Deferral: true}},
		{"everything chosen", Options{Name: "x", Title: `100% "sure": a \ b #1`, Code: "acme.x", Event: "Stop"}},
		{"a title that is YAML", Options{Name: "y2", Title: "- [a", Event: "PreToolUse"}},
		{"a title that is no text in YAML", Options{Name: "z", Title: "null"}},
		{"a title in another script", Options{Name: "u", Title: "Prüfung läuft"}},
		{"a long name", Options{Name: "a_" + strings.Repeat("b", 61), Deferral: true}},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), ".stophook", "policies")
			tc.opts.Dir = dir
			r, err := New(tc.opts)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range r.Files {
				if _, err := os.Stat(f); err != nil {
					t.Error(err)
				}
			}
			if len(r.Cases) != 2 || !slices.Contains(r.Files, filepath.Join(dir, "schemas", "input.json")) {
				t.Errorf("%+v", r)
			}
			passes(t, r.Dir)
			passes(t, dir)
		})
	}
}

func passes(t *testing.T, dir string) {
	t.Helper()
	targets, err := check.Targets([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	report, err := check.Check(targets, check.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Findings) > 0 || report.Files != 2*report.Rules || report.Rules < 1 {
		_ = report.WriteText(os.Stderr, term.Style{})
		t.Errorf("check: %d findings, %d rules, %d files", len(report.Findings), report.Rules, report.Files)
	}
	files, err := check.FormatFiles([]string{dir}, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Err != nil || f.Changed() {
			t.Errorf("%s is not formatted: %v\n%s", f.Path, f.Err, check.Diff(f.Path, f.Before, f.After))
		}
	}
	tests, err := policytest.Run(context.Background(), policytest.Options{Dirs: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	if tests.ExitCode() != 0 || tests.Totals.Passed < 5 {
		_ = tests.WriteText(os.Stderr, policytest.TextOptions{})
		t.Errorf("tests: exit code %d, %+v", tests.ExitCode(), tests.Totals)
	}
}

// TestNew_blocksAndPasses: of the two cases one blocks and the other does not.
func TestNew_blocksAndPasses(t *testing.T) {
	for _, opts := range []Options{{Name: "a"}, {Name: "b", Event: "PreToolUse"}, {Name: "c", Deferral: true}} {
		opts.Dir = t.TempDir()
		r, err := New(opts)
		if err != nil {
			t.Fatal(err)
		}
		var verdicts []string
		for _, dir := range r.Cases {
			c, err := policytest.LoadCase(dir)
			if err != nil {
				t.Fatal(err)
			}
			verdicts = append(verdicts, c.Want.Verdict)
		}
		if n := len(verdicts); n != 2 || !slices.Contains(verdicts, "block") || verdicts[0] == verdicts[1] {
			t.Errorf("%s: verdicts %v", opts.Name, verdicts)
		}
	}
}

func TestNew_twoRules(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"one", "two"} {
		if _, err := New(Options{Dir: dir, Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	targets, _ := check.Targets([]string{dir})
	if r, err := check.Check(targets, check.Options{}); err != nil || len(r.Findings) > 0 || r.Rules != 2 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestNew_neverOverwrites: neither a folder, nor a file of the name, nor the schema.
func TestNew_neverOverwrites(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("schemas/input.json", "{}")
	write("mine/mine.rego", "mine")
	write("file", "file")
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"mine", "file", "empty"} {
		if _, err := New(Options{Dir: dir, Name: name}); !errors.Is(err, ErrExists) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := New(Options{Dir: dir, Name: "other"}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"schemas/input.json": "{}", "mine/mine.rego": "mine", "file": "file"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); string(got) != want {
			t.Errorf("%s became %q, %v", name, got, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".new-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestNew_refuses(t *testing.T) {
	for _, tc := range []struct {
		reason  string
		opts    Options
		mention string
	}{
		{"no name", Options{}, "needs a name"},
		{"a dash", Options{Name: "tests-ran"}, "call it tests_ran"},
		{"capitals", Options{Name: "TestsRan"}, "call it testsran"},
		{"a path", Options{Name: "../up"}, "call it up"},
		{"a digit first", Options{Name: "1st"}, "lower-case letters"},
		{"nothing usable", Options{Name: "***"}, "lower-case letters"},
		{"hostile", Options{Name: "a\x1b[31m"}, `"a\x1b[31m"`},
		{"too long", Options{Name: strings.Repeat("a", 65)}, "at most 64"},
		{"a test", Options{Name: "x_test"}, "_test.rego are tests"},
		{"a word of Rego", Options{Name: "every"}, "word of Rego"},
		{"a built-in rule", Options{Name: "status_check"}, "built-in rule"},
		{"the folder of schemas", Options{Name: "schemas"}, "hold something else"},
		{"a built-in code", Options{Name: "x", Code: "stop-hook.status_check_missing"}, "code"},
		{"our prefix", Options{Name: "x", Code: "stop-hook.x"}, "prefix of your own"},
		{"a code with a blank", Options{Name: "x", Code: "a b"}, "letters, digits"},
		{"a title of two lines", Options{Name: "x", Title: "a\nb"}, "one line"},
		{"an event that is not judged", Options{Name: "x", Event: "SessionStart"}, "Stop and PreToolUse"},
		{"a deferral of tool calls", Options{Name: "x", Event: "PreToolUse", Deferral: true}, "for Stop"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			tc.opts.Dir = filepath.Join(t.TempDir(), "policies")
			_, err := New(tc.opts)
			if err == nil || !strings.Contains(err.Error(), tc.mention) {
				t.Errorf("%v lacks %q", err, tc.mention)
			}
			if _, err := os.Stat(tc.opts.Dir); err == nil {
				t.Error("something was written")
			}
		})
	}
}

// TestNew_schema: the folder is one that `opa check --schema DIR/schemas` takes: the
// METADATA's schema.input is the file, and a misspelt field is an error.
func TestNew_schema(t *testing.T) {
	dir := t.TempDir()
	r, err := New(Options{Dir: dir, Name: "typed"})
	if err != nil {
		t.Fatal(err)
	}
	set, err := loader.Schemas(filepath.Join(dir, "schemas"))
	if err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile(filepath.Join(r.Dir, "typed.rego"))
	if err != nil {
		t.Fatal(err)
	}
	compile := func(src string) ast.Errors {
		m := ast.MustParseModuleWithOpts(src, ast.ParserOptions{ProcessAnnotation: true, RegoVersion: ast.RegoV1})
		c := ast.NewCompiler().WithSchemas(set).WithUseTypeCheckAnnotations(true)
		c.Compile(map[string]*ast.Module{"typed.rego": m})
		return c.Errors
	}
	if errs := compile(string(src)); len(errs) > 0 {
		t.Error(errs)
	}
	misspelt := strings.Replace(string(src), "input.turn.tools", "input.turn.tols", 1)
	if errs := compile(misspelt); len(errs) == 0 || !strings.Contains(errs.Error(), "undefined ref: input.turn.tols") {
		t.Errorf("the schema is not used: %v", errs)
	}
}
