package policytest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/tester"
	"github.com/open-policy-agent/opa/v1/topdown"

	"github.com/stophook/stophook/policy"
)

func compareResults(a, b *tester.Result) int {
	if c := strings.Compare(a.Location.File, b.Location.File); c != 0 {
		return c
	}
	if c := a.Location.Row - b.Location.Row; c != 0 {
		return c
	}
	return a.Location.Col - b.Location.Col
}

// numbered is the full name of a test. Of tests with the same name OPA numbers all
// but the first, in an order that differs from run to run when they are in several
// files; here it is that of the files.
func numbered(seen map[string]int, r *tester.Result) string {
	name := r.Package + "." + r.Name
	if at := strings.LastIndexByte(name, '#'); at >= 0 && strings.Trim(name[at+1:], "0123456789") == "" {
		name = name[:at]
	}
	n := seen[name]
	seen[name]++
	if n == 0 {
		return name
	}
	return fmt.Sprintf("%s#%02d", name, n)
}

// results makes one test of a result, or one for each of its names.
func (u *unit) results(ctx context.Context, r *tester.Result, name string) []Test {
	base := Test{Kind: KindRego, Name: name, File: r.Location.File, Line: r.Location.Row,
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
		traces = u.trace(ctx, r.Package+"."+r.Name)
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
