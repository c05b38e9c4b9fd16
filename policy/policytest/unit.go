package policytest

import (
	"context"
	"errors"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/cover"
	"github.com/open-policy-agent/opa/v1/tester"

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
	names := map[string]int{}
	for _, one := range results {
		tests = append(tests, u.results(ctx, one, numbered(names, one))...)
	}
	return tests, nil
}
