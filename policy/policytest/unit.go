package policytest

import (
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/cover"
	"github.com/open-policy-agent/opa/v1/tester"
	"github.com/open-policy-agent/opa/v1/topdown"

	"github.com/stophook/stophook/policy"
)

// unit runs the Rego tests of one target.
type unit struct {
	target   *target
	run      *regexp.Regexp // nil: all
	cover    *cover.Cover   // nil: none
	workers  int
	timeout  time.Duration
	output   bool
	compiler *ast.Compiler
}

// testRules counts the rules in scope that are tests, whatever is selected.
func (t *target) testRules() int {
	n := 0
	for p, f := range t.tree.files {
		if f.module == nil || !within(p, t.scope) {
			continue
		}
		for _, r := range f.module.Rules {
			if isTestRule(r) {
				n++
			}
		}
	}
	return n
}

func isTestRule(r *ast.Rule) bool {
	for _, term := range r.Head.Ref().GroundPrefix() {
		name := ""
		switch v := term.Value.(type) {
		case ast.Var:
			name = string(v)
		case ast.String:
			name = string(v)
		}
		if strings.HasPrefix(name, tester.TestPrefix) || strings.HasPrefix(name, tester.SkipTestPrefix) {
			return true
		}
	}
	return false
}

// load compiles policies and tests. Its errors are those of the hook, where it has
// some, and those of tests.
func (u *unit) load(ctx context.Context) error {
	modules, err := u.modules(ctx)
	if err != nil {
		return err
	}
	u.compiler = ast.NewCompiler().WithCapabilities(policy.Capabilities()).WithEnablePrintStatements(true).
		WithRewriteTestRules(true) // the tracer can then tell the values of both sides
	// The runner adds its own stages to the compiler, so it has to do the compiling:
	// with a filter that nothing matches it runs no test.
	results, err := u.runner().SetModules(modules).Filter(`\A\z`).RunTests(ctx, nil)
	if err != nil {
		return explain(policy.ErrorsOf(err, policy.LayerProject))
	}
	for range results {
		return errors.New("internal error: a test ran while tests were compiled; please report it")
	}
	return nil
}

// explain says of functions that tests do not have why that is so.
func explain(errs policy.PolicyErrors) policy.PolicyErrors {
	for _, e := range errs {
		_, name, _ := strings.Cut(e.Message, "undefined function ")
		if why := policy.Forbidden(name); why != "" {
			e.Hint = "tests get what the hook gives policies, and " + name + " is not there: " + why
		}
	}
	return errs
}

// modules checks the policies as the hook would, and gives everything that tests
// are compiled with.
func (u *unit) modules(ctx context.Context) (map[string]*ast.Module, error) {
	t := u.target
	for _, event := range []string{"Stop", "PreToolUse"} {
		if _, err := policy.NewEngine(ctx, policy.EngineOptions{Layers: t.layer(), Event: event}); err != nil {
			return nil, err
		}
	}
	modules := map[string]*ast.Module{}
	if !t.builtin {
		var err error
		if modules, err = builtinModules(); err != nil {
			return nil, err
		}
	}
	var errs policy.PolicyErrors
	for _, p := range slices.Concat(t.tree.paths(false), t.tree.paths(true)) {
		f := t.tree.files[p]
		switch {
		case f.test && !within(p, path.Dir(t.scope)) && !within(p, t.scope):
		case f.errs != nil:
			errs = append(errs, f.errs...)
		case f.module != nil:
			modules[f.name] = f.module
		}
	}
	if len(errs) > 0 {
		return nil, errs
	}
	return modules, nil
}

func (u *unit) runner() *tester.Runner {
	return tester.NewRunner().SetCompiler(u.compiler).SetParallel(u.workers).SetTimeout(u.timeout).
		RaiseBuiltinErrors(true).SetCoverageRuns(nil)
}

// tests runs what is selected, in scope, in the order of files and lines.
func (u *unit) tests(ctx context.Context) ([]Test, error) {
	r := u.runner()
	if u.run != nil {
		r.Filter(u.run.String())
	}
	if u.cover != nil {
		r.SetCoverageQueryTracer(u.cover)
	}
	found, err := r.RunTests(ctx, nil)
	if err != nil {
		return nil, err
	}
	inScope := map[string]bool{}
	for p, f := range u.target.tree.files {
		inScope[f.name] = within(p, u.target.scope)
	}
	var results []*tester.Result
	for one := range found {
		if one.Location != nil && inScope[one.Location.File] {
			results = append(results, one)
		}
	}
	slices.SortFunc(results, compareResults)
	var tests []Test
	for _, one := range results {
		tests = append(tests, u.results(ctx, one)...)
	}
	return tests, nil
}

func compareResults(a, b *tester.Result) int {
	if c := strings.Compare(a.Location.File, b.Location.File); c != 0 {
		return c
	}
	if c := a.Location.Row - b.Location.Row; c != 0 {
		return c
	}
	return a.Location.Col - b.Location.Col
}

// results makes one test of a result, or one for each of its names.
func (u *unit) results(ctx context.Context, r *tester.Result) []Test {
	base := Test{Kind: KindRego, Name: r.Package + "." + r.Name, File: r.Location.File, Line: r.Location.Row,
		Result: Pass, Seconds: micros(r.Duration.Seconds())}
	if u.output || !r.Pass() {
		base.Output = string(r.Output)
	}
	switch {
	case r.Skip:
		base.Result = Skip
		return []Test{base}
	case r.Error != nil:
		base.Result, base.Message = Error, u.errorText(r.Error)
		return []Test{base}
	}
	leaves := leavesOf(r.SubResults)
	if len(leaves) == 0 && !r.Fail {
		if !u.namesCases(base) {
			return []Test{base}
		}
		base.Result = Fail
		base.Message = "it went through no case, so it tested nothing: the list of cases is empty, or something before the case's name is not defined"
		return []Test{base}
	}
	var traces map[string]*FailedAt
	if r.Fail {
		traces = u.trace(ctx, base.Name)
	}
	if len(leaves) == 0 {
		base.fail(r, traces[""])
		return []Test{base}
	}
	tests := make([]Test, 0, len(leaves))
	output := base.Output
	for _, leaf := range leaves {
		t := base
		t.Name, t.Seconds, t.Output = base.Name+leaf.suffix(), micros(base.Seconds/float64(len(leaves))), ""
		if leaf.fail {
			t.fail(r, traces[leaf.key()])
		}
		if leaf.fail || u.output {
			t.Output, output = output, "" // print() does not say whose it is: shown once
		}
		tests = append(tests, t)
	}
	return tests
}

// fail says where the test came to its end; without a trace, because no expression
// was tried one by one, the whole rule has to do.
func (t *Test) fail(r *tester.Result, at *FailedAt) {
	if at == nil {
		const shown = 12
		lines := strings.SplitAfterN(dedent(string(r.Location.Text)), "\n", shown+1)
		at = &FailedAt{File: t.File, Line: t.Line, Text: strings.TrimSpace(strings.Join(lines[:min(shown, len(lines))], "")), Rules: []Place{}}
	}
	t.Result, t.FailedAt = Fail, at
	t.Message = fmt.Sprintf("not true: %s:%d", at.File, at.Line)
}

// namesCases reports whether the rule behind a test is a test_x[name] one.
func (u *unit) namesCases(t Test) bool {
	for _, m := range u.compiler.Modules {
		if m.Package.Location.File != t.File {
			continue
		}
		for _, r := range m.Rules {
			if r.Loc().Row == t.Line && isTestRule(r) {
				return r.Head.DocKind() == ast.PartialObjectDoc
			}
		}
	}
	return false
}

// errorText is one line, or several, with the place first.
func (u *unit) errorText(err error) string {
	if topdown.IsCancel(err) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Sprintf("it took longer than %v and was stopped; look for a rule that goes through too many combinations", u.timeout)
	}
	list := policy.ErrorsOf(err, policy.LayerProject)
	return list.Error()
}

// A leaf is one name of a test_x[name] rule.
type leaf struct {
	path []string
	fail bool
}

func (l leaf) suffix() string { return "[" + strings.Join(l.path, "][") + "]" }
func (l leaf) key() string    { return strings.Join(l.path, "\x00") }

func leavesOf(sub tester.SubResultMap) []leaf {
	var list []leaf
	for names, r := range sub.Iter {
		if len(r.SubResults) == 0 {
			list = append(list, leaf{path: slices.Clone(names), fail: r.Fail})
		}
	}
	return list
}
