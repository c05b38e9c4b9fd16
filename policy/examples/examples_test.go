package examples

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/cover"
	"github.com/open-policy-agent/opa/v1/format"
	"github.com/open-policy-agent/opa/v1/tester"

	"github.com/stophook/stophook/policy"
	"github.com/stophook/stophook/policy/evidence"
	"github.com/stophook/stophook/policy/hookio"
	"github.com/stophook/stophook/policy/schema"
	"github.com/stophook/stophook/rego"
)

// rules lists the example folders; at least the first ones must be there.
func rules(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob("*/*_test.rego")
	if err != nil || len(found) == 0 {
		t.Fatalf("no example found: %v", err)
	}
	var names []string
	for _, f := range found {
		names = append(names, filepath.Dir(f))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// modules parses the Rego files of one folder.
func modules(t *testing.T, dir string) map[string]*ast.Module {
	t.Helper()
	all := map[string]*ast.Module{}
	files, err := filepath.Glob(dir + "/*.rego")
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no policy found: %v", dir, err)
	}
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		m, err := ast.ParseModuleWithOpts(f, string(src), ast.ParserOptions{ProcessAnnotation: true, RegoVersion: ast.RegoV1})
		if err != nil {
			t.Fatal(err)
		}
		all[f] = m
		formatted, err := format.SourceWithOpts(f, src, format.Opts{RegoVersion: ast.RegoV1})
		if err != nil || !bytes.Equal(src, formatted) {
			t.Errorf("%s is not as stophook fmt writes it: %v", f, err)
		}
	}
	return all
}

// Every line of every example is reached by its tests, and all of them pass.
func TestExamples_RegoTests(t *testing.T) {
	for _, dir := range rules(t) {
		t.Run(dir, func(t *testing.T) {
			mods, coverage := modules(t, dir), cover.New()
			results, err := tester.NewRunner().SetModules(mods).SetCoverageQueryTracer(coverage).RaiseBuiltinErrors(true).RunTests(context.Background(), nil)
			if err != nil {
				t.Fatal(err)
			}
			ran := 0
			for r := range results {
				ran++
				if !r.Pass() {
					t.Errorf("%s: %v, fails at %v; of its cases %v", r.Name, r.Error, r.FailedAt, r.SubResults)
				}
			}
			if ran < 5 {
				t.Errorf("only %d tests ran", ran)
			}
			for name, f := range coverage.Report(mods).Files {
				for _, r := range f.NotCovered {
					if !strings.HasSuffix(name, "_test.rego") {
						t.Errorf("%s:%d-%d: no test reaches this", name, r.Start.Row, r.End.Row)
					}
				}
			}
		})
	}
}

// inputSchema is the schema that METADATA call schema.input.
func inputSchema(t *testing.T) *ast.SchemaSet {
	t.Helper()
	text, err := schema.Get("input")
	if err != nil {
		t.Fatal(err)
	}
	var doc any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	set := ast.NewSchemaSet()
	set.Put(ast.MustParseRef("schema.input"), doc)
	return set
}

// Every example names the schema of its input, and fits it.
func TestExamples_SchemaChecks(t *testing.T) {
	check := func(mods map[string]*ast.Module) error {
		c := ast.NewCompiler().WithSchemas(inputSchema(t)).WithUseTypeCheckAnnotations(true)
		c.Compile(mods)
		if c.Failed() {
			return c.Errors
		}
		return nil
	}
	for _, dir := range rules(t) {
		mods := modules(t, dir)
		for name := range mods {
			if strings.HasSuffix(name, "_test.rego") {
				delete(mods, name)
			}
		}
		if err := check(mods); err != nil {
			t.Errorf("%s: %v", dir, err)
		}
		for name, m := range mods {
			if strings.HasPrefix(m.Package.Path.String(), "data.stophook.") && !strings.Contains(readFile(t, name), "- input: schema.input\n") {
				t.Errorf("%s does not name the schema of its input", name)
			}
		}
	}
	wrong, err := ast.ParseModuleWithOpts("x.rego", "# METADATA\n# schemas:\n#   - input: schema.input\npackage x\n\np if input.handofs", ast.ParserOptions{ProcessAnnotation: true})
	if err != nil || check(map[string]*ast.Module{"x.rego": wrong}) == nil {
		t.Errorf("a field that is not there is no error: %v", err)
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// want is what a case must come to.
type want struct {
	Reason  string            `json:"reason"`
	Now     time.Time         `json:"now"`
	Verdict string            `json:"verdict"`
	Code    string            `json:"code"`
	Mention []string          `json:"reason_must_mention"`
	Never   []string          `json:"reason_must_not_mention"`
	Demands []string          `json:"demands"`
	None    []string          `json:"no_demands"`
	Env     map[string]string `json:"env"`
	Only    bool              `json:"only"`
}

// Every case of an example is decided as it says, and one at least blocks and one
// passes.
func TestExamples_Cases(t *testing.T) {
	for _, dir := range rules(t) {
		found, err := filepath.Glob(dir + "/cases/*/want.json")
		if err != nil {
			t.Fatal(err)
		}
		verdicts := map[string]int{}
		for _, f := range found {
			var w want
			dec := json.NewDecoder(strings.NewReader(readFile(t, f)))
			dec.DisallowUnknownFields()
			if err := dec.Decode(&w); err != nil || w.Reason == "" {
				t.Fatalf("%s: %v", f, err)
			}
			verdicts[w.Verdict]++
			t.Run(filepath.Dir(f), func(t *testing.T) { w.hold(t, dir, filepath.Dir(f)) })
		}
		if verdicts["block"] == 0 || verdicts["allow"]+verdicts["defer"] == 0 {
			t.Errorf("%s: cases by verdict: %v", dir, verdicts)
		}
	}
}

func (w *want) hold(t *testing.T, dir, at string) {
	abs, err := filepath.Abs(at)
	if err != nil {
		t.Fatal(err)
	}
	ev, err := hookio.Decode([]byte(strings.ReplaceAll(readFile(t, at+"/stdin.json"), "@CASE_DIR@", abs)), hookio.HostAuto)
	if err != nil {
		t.Fatal(err)
	}
	g := &policy.Gate{Config: policy.DefaultConfig(), Store: evidence.Store{Dir: t.TempDir()}, Command: "stophook", Now: func() time.Time { return w.Now },
		Layers: []policy.Layer{{Name: "flag", FS: os.DirFS(dir), Root: dir}}}
	g.Mode, g.Entry = hookio.Mode(func(name string) string { return w.Env[name] })
	if _, err := os.Stat(at + "/config.yaml"); err == nil {
		if g.Config, _, err = policy.LoadConfig([]policy.Source{policy.ExplicitSource(at + "/config.yaml")}); err != nil {
			t.Fatal(err)
		}
	}
	if w.Only {
		g.Config.Rules = map[string]policy.RuleConfig{}
		entries, err := rego.FS().(interface {
			ReadDir(string) ([]os.DirEntry, error)
		}).ReadDir(".")
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.Name() != "main" {
				g.Config.Rules[e.Name()] = policy.RuleConfig{Severity: policy.SeverityOff}
			}
		}
	}
	if data, err := os.ReadFile(at + "/ledger.jsonl"); err == nil {
		s, err := g.Store.Session(ev.SessionID)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(s.Path(), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(s.Path(), "ledger.jsonl"), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := g.Evaluate(context.Background(), ev)
	if o.Failure != nil {
		t.Fatalf("%+v", o.Failure)
	}
	d := o.Decision
	if d.Verdict != w.Verdict || d.Code != w.Code {
		t.Errorf("%s\n%s %s, want %s %s\n%s", w.Reason, d.Verdict, d.Code, w.Verdict, w.Code, d.Reason)
	}
	for _, m := range w.Mention {
		if !strings.Contains(d.Reason, m) {
			t.Errorf("the reason does not mention %q:\n%s", m, d.Reason)
		}
	}
	for _, m := range w.Never {
		if strings.Contains(d.Reason, m) {
			t.Errorf("the reason mentions %q:\n%s", m, d.Reason)
		}
	}
	codes := map[string]bool{}
	for _, m := range d.Demands {
		codes[m.Code] = true
	}
	for _, c := range w.Demands {
		if !codes[c] {
			t.Errorf("%s is not demanded", c)
		}
	}
	for _, c := range w.None {
		if codes[c] {
			t.Errorf("%s is demanded", c)
		}
	}
}
