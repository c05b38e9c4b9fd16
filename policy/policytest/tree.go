package policytest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/stophook/stophook/policy"
)

// A tree is a folder of policies, tests and cases, read once.
type tree struct {
	root  string // as the person named it, with slashes
	files map[string]*regoFile
	cases []string // folders that hold want.json, below root; "." is root itself
}

// A regoFile is one .rego file of a tree.
type regoFile struct {
	name   string // as a person can open it: the root and the path below it
	test   bool
	src    []byte
	module *ast.Module // nil when it does not parse or is empty
	errs   policy.PolicyErrors
}

// readTree reads everything below root that the hook, or a test run, would read.
func readTree(root string) (*tree, error) {
	t := &tree{root: filepath.ToSlash(root), files: map[string]*regoFile{}}
	err := fs.WalkDir(os.DirFS(root), ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return &policy.PolicyError{File: path.Join(t.root, p), Message: "cannot be read: " + err.Error(), Layer: policy.LayerProject}
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && p != ".":
			return fs.SkipDir
		case d.IsDir():
			return nil
		case d.Name() == WantFile:
			t.cases = append(t.cases, path.Dir(p))
		case strings.HasSuffix(p, ".rego"):
			return t.read(p)
		}
		return nil
	})
	if err == nil {
		t.dropCaseFiles()
	}
	return t, err
}

func (t *tree) read(p string) error {
	f := &regoFile{name: path.Join(t.root, p), test: isTest(p)}
	var err error
	if f.src, err = os.ReadFile(filepath.Join(filepath.FromSlash(t.root), filepath.FromSlash(p))); err != nil {
		return &policy.PolicyError{File: f.name, Message: "cannot be read: " + err.Error(), Layer: policy.LayerProject}
	}
	f.parse()
	t.files[p] = f
	return nil
}

func isTest(name string) bool { return strings.HasSuffix(name, "_test.rego") }

func (f *regoFile) parse() {
	f.module, f.errs = policy.ParsePolicy(f.name, string(f.src))
}

// dropCaseFiles forgets .rego files inside of cases: [LoadCase] refuses them, with
// a message that says what they would do.
func (t *tree) dropCaseFiles() {
	for p := range t.files {
		if slices.ContainsFunc(t.cases, func(c string) bool { return c != "." && within(p, c) }) {
			delete(t.files, p)
		}
	}
}

// within reports whether the path p is dir or lies below it; both are below the
// same root.
func within(p, dir string) bool {
	return dir == "." || p == dir || strings.HasPrefix(p, dir+"/")
}

// paths lists the policies, or the tests, in the order of their names.
func (t *tree) paths(test bool) []string {
	var list []string
	for p, f := range t.files {
		if f.test == test {
			list = append(list, p)
		}
	}
	slices.Sort(list)
	return list
}

// packages are those that the policies of the tree define.
func (t *tree) packages() map[string]bool {
	found := map[string]bool{}
	for _, p := range t.paths(false) {
		if m := t.files[p].module; m != nil {
			found[packageName(m)] = true
		}
	}
	return found
}

// packageName is a module's package without the leading data, such as
// stophook.rules.tests_ran.
func packageName(m *ast.Module) string {
	return strings.TrimPrefix(m.Package.Path.String(), "data.")
}

// problems turns what is wrong with policies and tests into lines of a report.
func problems(dir string, err error) []Problem {
	var list []Problem
	add := func(e *policy.PolicyError) {
		p := Problem{Kind: ProblemPolicy, Dir: dir, File: e.File, Line: e.Line, Message: e.Message, Hint: e.Hint}
		if !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	if many, ok := errors.AsType[policy.PolicyErrors](err); ok {
		for _, e := range many {
			add(e)
		}
		return list
	}
	if one, ok := errors.AsType[*policy.PolicyError](err); ok {
		add(one)
		return list
	}
	return []Problem{{Kind: ProblemPolicy, Dir: dir, Message: fmt.Sprint(err)}}
}
