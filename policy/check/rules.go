package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/stophook/stophook/policy"
)

// checkTestBuiltins finds tests that call what policies cannot call: they do not
// run. In policies the loader finds the same.
func (c *checker) checkTestBuiltins(f *file) {
	if !f.test {
		return
	}
	ast.WalkRefs(f.module, func(ref ast.Ref) bool {
		if why := policy.Forbidden(ref.String()); why != "" {
			c.at(f, ref[0].Location, Finding{Kind: policy.KindBuiltin,
				Message: fmt.Sprintf("%s cannot be used in tests either: %s", ref, why), Hint: "write the value down, so that the test says the same every time"})
		}
		return false
	})
}

// checkRules looks at what rules and deferrals say, and whether they ever can.
func (c *checker) checkRules(f *file) {
	name, deferral := policy.RuleOf(f.module.Package)
	if name == "" || f.test {
		return
	}
	var meta *policy.RuleMeta
	for i := range c.inspect.Rules {
		if m := &c.inspect.Rules[i]; m.Name == name && m.Deferral == deferral {
			meta = m
		}
	}
	if deferral {
		c.checkThresholds(f)
	}
	if meta == nil {
		return
	}
	if m := meta; deferral && m.File == f.name && !c.opts.Builtin && !c.liftsAny(m) {
		c.add(f, Finding{Line: m.Line, Severity: SeverityWarning, Kind: policy.KindSilent,
			Message: m.Name + " puts nothing off: no rule of its layer or of one below is deferrable",
			Hint:    "write `deferrable: true` in the METADATA of the rules that it may lift; demands of a higher layer and of the built-in rules it cannot"})
	}
	for _, r := range f.module.Rules {
		answer := deferral && r.Head.Name == "defer" || !deferral && r.Head.Name == "demand"
		if !answer || r.Head.Key == nil {
			continue
		}
		c.checkAnswer(f, r, meta)
		c.checkSilent(f, r, meta)
	}
}

// liftsAny reports whether there is a rule whose demands the deferral can lift.
func (c *checker) liftsAny(m *policy.RuleMeta) bool {
	return slices.ContainsFunc(c.inspect.Rules, func(r policy.RuleMeta) bool { return !r.Deferral && r.Deferrable && r.Layer >= m.Layer })
}

// checkSilent finds answers whose conditions can never hold for the events of the
// rule.
func (c *checker) checkSilent(f *file, r *ast.Rule, m *policy.RuleMeta) {
	events := strings.Join(m.Events, " and ")
	for _, e := range r.Body {
		if e.Negated || len(e.With) > 0 {
			continue
		}
		if t, ok := e.Terms.(*ast.Term); ok && t.Value.Compare(ast.Boolean(false)) == 0 {
			c.at(f, e.Location, Finding{Kind: policy.KindSilent, Message: fmt.Sprintf("%s never says anything: this condition is false", m.Name), Hint: "remove the line; to switch a rule off, write `severity: off` in its METADATA"})
		}
		if event, loc := comparedEvent(e); event != "" && !m.For(event) {
			c.at(f, loc, Finding{Kind: policy.KindSilent, Message: fmt.Sprintf("%s is asked at %s only, so the event is never %s", m.Name, events, event),
				Hint: "add it to the METADATA: `events: [" + strings.Join(append(slices.Clone(m.Events), event), ", ") + "]`"})
		}
		if !m.For("PreToolUse") {
			c.checkTool(f, e, m)
		}
	}
}

// checkTool finds conditions on the tool call that is about to run: the input has
// one at PreToolUse only.
func (c *checker) checkTool(f *file, e *ast.Expr, m *policy.RuleMeta) {
	told := false
	ast.WalkClosures(e, func(any) bool { told = true; return true }) // what a comprehension needs, its rule need not
	ast.WalkExprs(e, func(x *ast.Expr) bool {
		if call, ok := x.Terms.([]*ast.Term); ok && call[0].String() == "object.get" {
			told = true
		}
		return false
	})
	ast.WalkRefs(e, func(ref ast.Ref) bool {
		if !told && len(ref) > 1 && ref[0].Equal(ast.InputRootDocument) && ref[1].Equal(ast.StringTerm("tool")) {
			told = true
			c.at(f, ref[0].Location, Finding{Kind: policy.KindSilent, Message: fmt.Sprintf("%s never says anything: input.tool is there at PreToolUse only, and the rule is asked at %s", m.Name, strings.Join(m.Events, " and ")),
				Hint: "write `events: [PreToolUse]` under custom, or look at input.turn.tools, which holds the calls of the turn"})
		}
		return false
	})
}

// comparedEvent is E of input.host.event == "E".
func comparedEvent(e *ast.Expr) (string, *ast.Location) {
	terms, ok := e.Terms.([]*ast.Term)
	if !ok || len(terms) != 3 || !slices.Contains([]string{"equal", "eq"}, terms[0].String()) {
		return "", nil
	}
	for i, t := range terms[1:] {
		if s, ok := terms[2-i].Value.(ast.String); ok && t.String() == "input.host.event" {
			return string(s), terms[2-i].Location
		}
	}
	return "", nil
}
