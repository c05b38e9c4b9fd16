package rego

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/cover"
	"github.com/open-policy-agent/opa/v1/format"
	"github.com/open-policy-agent/opa/v1/tester"
)

// regoFiles reads every policy and policy test of this folder.
func regoFiles(t *testing.T) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("*/*.rego")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no policies found: %v", err)
	}
	files := map[string][]byte{}
	for _, p := range paths {
		src, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.ToSlash(p)] = src
	}
	return files
}

// TestPolicies_RG4 runs the Rego tests and wants every line of every rule reached.
func TestPolicies_RG4(t *testing.T) {
	modules := map[string]*ast.Module{}
	for name, src := range regoFiles(t) {
		m, err := ast.ParseModuleWithOpts(name, string(src), ast.ParserOptions{ProcessAnnotation: true, RegoVersion: ast.RegoV1})
		if err != nil {
			t.Fatal(err)
		}
		modules[name] = m
	}
	coverage := cover.New()
	results, err := tester.NewRunner().SetModules(modules).SetCoverageQueryTracer(coverage).RaiseBuiltinErrors(true).RunTests(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for r := range results {
		ran++
		if !r.Pass() {
			t.Errorf("%s.%s: %v (failed at %v)", r.Package, r.Name, r.Error, r.FailedAt)
		}
	}
	if ran < 40 {
		t.Errorf("only %d policy tests ran", ran)
	}
	for name, f := range coverage.Report(modules).Files {
		if strings.HasSuffix(name, "_test.rego") {
			continue
		}
		for _, r := range f.NotCovered {
			t.Errorf("%s:%d-%d: no policy test reaches this", name, r.Start.Row, r.End.Row)
		}
	}
}

func TestPolicies_AreFormatted(t *testing.T) {
	for name, src := range regoFiles(t) {
		want, err := format.SourceWithOpts(name, src, format.Opts{RegoVersion: ast.RegoV1})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(src, want) {
			t.Errorf("%s is not as opa fmt writes it", name)
		}
	}
}

// TestFS_HoldsEveryPolicy: a rule that is not embedded would silently not exist.
func TestFS_HoldsEveryPolicy(t *testing.T) {
	for name, src := range regoFiles(t) {
		got, err := fs.ReadFile(FS(), name)
		if strings.HasSuffix(name, "_test.rego") {
			if err == nil {
				t.Errorf("%s is a test and is in the binary", name)
			}
			if _, ok := regoFiles(t)[strings.TrimSuffix(name, "_test.rego")+".rego"]; !ok {
				t.Errorf("%s tests no policy", name)
			}
			continue
		}
		if !bytes.Equal(got, src) {
			t.Errorf("%s is not embedded: %v", name, err)
		}
		if _, err := os.Stat(strings.TrimSuffix(name, ".rego") + "_test.rego"); err != nil {
			t.Errorf("%s has no tests", name)
		}
		if dir, file := filepath.Split(name); file != strings.TrimSuffix(dir, "/")+".rego" {
			t.Errorf("%s: Sum reads FOLDER/FOLDER.rego only", name)
		}
	}
	if Sum() == 0 || len(Compiled()) == 0 {
		t.Error("the compiled form is missing")
	}
}
