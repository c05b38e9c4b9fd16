package policytest

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"

	"github.com/stophook/stophook/internal/term"
)

// exprWidth is how much of a policy's expression is shown, in characters.
const exprWidth = 160

// trace runs one failed test again and tells where it, or each of its names,
// came to an end. The first run has no trace: it would cost all the others.
func (u *unit) trace(ctx context.Context, name string) map[string]*FailedAt {
	tr := &failTracer{isTest: map[string]bool{}, ends: map[string]*failure{}, now: &failure{}}
	for _, f := range u.target.tree.files {
		tr.isTest[f.name] = f.test
	}
	results, err := u.runner().SetParallel(1).SetCoverageQueryTracer(tr).Filter(`\A`+regexp.QuoteMeta(name)+`\z`).RunTests(ctx, nil)
	if err != nil {
		return nil // it ran before; without a trace the report has less to say
	}
	for range results {
	}
	tr.end()
	ends := map[string]*FailedAt{}
	for key, f := range tr.ends {
		if at := f.place(); at != nil {
			ends[key] = at
		}
	}
	return ends
}

// failTracer keeps the last expression of a test that was not true, and those of
// policies on the way. It holds events of one test at a time, because a whole
// trace can have millions.
type failTracer struct {
	isTest map[string]bool
	ends   map[string]*failure
	now    *failure
	key    string // of the name of a test_x[name] rule that is being tried
}

// failure is one end of a test.
type failure struct {
	last  *topdown.Event
	rules []Place
}

// Enabled implements topdown.QueryTracer.
func (t *failTracer) Enabled() bool { return true }

// Config implements topdown.QueryTracer.
func (t *failTracer) Config() topdown.TraceConfig { return topdown.TraceConfig{PlugLocalVars: true} }

// TraceEvent implements topdown.QueryTracer.
func (t *failTracer) TraceEvent(e topdown.Event) {
	switch e.Op {
	case topdown.TestCaseOp:
		t.end()
		t.key, t.now = caseKey(e), &failure{}
	case topdown.FailOp:
		expr, ok := e.Node.(*ast.Expr)
		if !ok || e.Location == nil || e.Location.File == "" || e.QueryID == 0 {
			return
		}
		if _, every := expr.Terms.(*ast.Every); every && t.now.last != nil {
			return // the expression inside of it says more
		}
		if t.isTest[e.Location.File] {
			t.now.last = &e
			return
		}
		t.now.rule(e.Location)
	}
}

// end keeps what is known of the test, or of the name, that is over.
func (t *failTracer) end() {
	if _, seen := t.ends[t.key]; !seen || t.now.last != nil {
		t.ends[t.key] = t.now
	}
}

// caseKey is the name that OPA's tester gives the case that begins.
func caseKey(e topdown.Event) string {
	expr, ok := e.Node.(*ast.Expr)
	if !ok {
		return ""
	}
	list, ok := expr.Operand(0).Value.(*ast.Array)
	if !ok {
		return ""
	}
	var names []string
	list.Foreach(func(x *ast.Term) {
		v, err := ast.JSON(x.Value)
		if err != nil {
			v = "INVALID"
		}
		name, ok := v.(string)
		if !ok {
			text, _ := json.Marshal(v) // it came from JSON-like values
			name = string(text)
		}
		names = append(names, name)
	})
	return strings.Join(names, "\x00")
}

func (f *failure) rule(loc *ast.Location) {
	p := Place{File: loc.File, Line: loc.Row, Text: term.OneLine(string(loc.Text), exprWidth)}
	for i, have := range f.rules {
		if have == p {
			f.rules = append(f.rules[:i], f.rules[i+1:]...)
			break
		}
	}
	f.rules = append(f.rules, p)
	if len(f.rules) > MaxPlaces {
		f.rules = f.rules[1:]
	}
}

func (f *failure) place() *FailedAt {
	if f.last == nil {
		return nil
	}
	var text bytes.Buffer
	if topdown.PrettyEvent(&text, f.last, topdown.PrettyEventOpts{PrettyVars: true}) != nil {
		text.Reset()
		text.Write(f.last.Location.Text)
	}
	rules := f.rules
	if rules == nil {
		rules = []Place{}
	}
	return &FailedAt{File: f.last.Location.File, Line: f.last.Location.Row, Text: dedent(text.String()), Rules: rules}
}

// dedent takes away the indent that all lines share, and blank ends.
func dedent(text string) string {
	lines := strings.Split(strings.TrimRight(strings.ReplaceAll(text, "\t", "    "), "\n "), "\n")
	shared := -1
	for _, line := range lines {
		if n := len(line) - len(strings.TrimLeft(line, " ")); strings.TrimSpace(line) != "" && (shared < 0 || n < shared) {
			shared = n
		}
	}
	for i, line := range lines {
		lines[i] = line[min(max(shared, 0), len(line)):]
	}
	return strings.Join(lines, "\n")
}
