package check

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// maxDeferSeconds is the longest that anything may be put off.
const maxDeferSeconds = 30 * 60

// bounds finds out how large the numbers of a deferral can get.
type bounds struct {
	module *ast.Module
	schema *node
}

// checkThresholds finds ages that a deferral compares with more than 30 minutes, or
// with a number that a configuration can make as large as it likes.
func (c *checker) checkThresholds(f *file) {
	b := &bounds{module: f.module, schema: c.schema}
	ast.WalkRules(f.module, func(r *ast.Rule) bool {
		for ; r != nil; r = r.Else {
			ast.WalkExprs(r.Body, func(e *ast.Expr) bool {
				age, limit := b.comparison(e)
				if age == nil {
					return false
				}
				c.checkThreshold(f, b, r, age, limit)
				return false
			})
		}
		return false
	})
}

// comparison takes `age <= limit` apart, in whichever way it is written.
func (b *bounds) comparison(e *ast.Expr) (age, limit *ast.Term) {
	terms, ok := e.Terms.([]*ast.Term)
	if !ok || len(terms) != 3 {
		return nil, nil
	}
	less := []string{"lt", "lte"}
	more := []string{"gt", "gte"}
	if e.Negated {
		less, more = more, less
	}
	switch op := terms[0].String(); {
	case slices.Contains(less, op):
		return terms[1], terms[2]
	case slices.Contains(more, op):
		return terms[2], terms[1]
	}
	return nil, nil
}

func (c *checker) checkThreshold(f *file, b *bounds, r *ast.Rule, age, limit *ast.Term) {
	unit := b.unit(r, age, 0)
	if unit == 0 {
		return
	}
	top, why := b.top(r, limit, 0)
	switch {
	case math.IsInf(top, 1) && why != "":
		c.at(f, limit.Location, Finding{Severity: SeverityWarning, Kind: KindUnbounded, Message: why + " can be any number, and no deferral may be longer than 30 minutes",
			Hint: "put a bound around it: `min([" + strconv.FormatFloat(maxDeferSeconds*unit, 'f', -1, 64) + ", ...])`"})
	case !math.IsInf(top, 1) && top/unit > maxDeferSeconds:
		c.at(f, limit.Location, Finding{Kind: KindThreshold, Message: fmt.Sprintf("this puts off demands for %s, and no deferral may be longer than 30 minutes", minutes(top/unit)),
			Hint: "compare with at most " + strconv.FormatFloat(maxDeferSeconds*unit, 'f', -1, 64) + ", or with `min([30, input.config.defer_minutes]) * 60` seconds"})
	}
}

func minutes(seconds float64) string {
	return strconv.FormatFloat(math.Round(seconds/6)/10, 'f', -1, 64) + " minutes"
}

// unit is how many of a term's units make a second, when the term is an age; else 0.
func (b *bounds) unit(r *ast.Rule, t *ast.Term, depth int) float64 {
	if depth > 16 {
		return 0
	}
	switch v := t.Value.(type) {
	case ast.Var:
		if next := b.value(r, v); next != nil {
			return b.unit(r, next, depth+1)
		}
	case ast.Ref:
		if v[len(v)-1].Equal(ast.StringTerm("age_seconds")) {
			return 1
		}
	case ast.Call:
		return b.callUnit(r, v, depth)
	}
	return 0
}

func (b *bounds) callUnit(r *ast.Rule, call ast.Call, depth int) float64 {
	if len(call) < 2 {
		return 0
	}
	inner := func() float64 { return b.unit(r, call[1], depth+1) }
	switch call[0].String() {
	case "object.get":
		if len(call) == 4 && call[2].Equal(ast.StringTerm("age_seconds")) {
			return 1
		}
	case "minus":
		if b.isTime(r, call[1], depth) || b.isTime(r, call[2], depth) {
			return 1e9
		}
		return inner()
	case "round", "floor", "ceil", "abs":
		return inner()
	case "div", "mul":
		by, _ := b.top(r, call[2], depth+1)
		switch {
		case math.IsInf(by, 1) || by == 0:
			return 0
		case call[0].String() == "div":
			return inner() / by
		}
		return inner() * by
	}
	return b.functionUnit(call, depth)
}

// functionUnit looks into a function of the same package.
func (b *bounds) functionUnit(call ast.Call, depth int) float64 {
	for _, g := range b.module.Rules {
		if string(g.Head.Name) == call[0].String() && len(g.Head.Args) == len(call)-1 && g.Head.Value != nil {
			return b.unit(g, g.Head.Value, depth+1)
		}
	}
	return 0
}

// isTime reports whether a term is an instant in nanoseconds.
func (b *bounds) isTime(r *ast.Rule, t *ast.Term, depth int) bool {
	switch v := t.Value.(type) {
	case ast.Var:
		next := b.value(r, v)
		return next != nil && depth < 16 && b.isTime(r, next, depth+1)
	case ast.Call:
		return strings.HasPrefix(v[0].String(), "time.parse_")
	}
	return false
}

// value is what a variable stands for: a local one, or a rule without conditions.
func (b *bounds) value(r *ast.Rule, v ast.Var) *ast.Term {
	if t := assigned(r.Body, v); t != nil {
		return t
	}
	var found *ast.Term
	for _, g := range b.module.Rules {
		if g.Head.Name != v || len(g.Head.Args) > 0 {
			continue
		}
		if found != nil || g.Else != nil || g.Head.Key != nil {
			return nil
		}
		found = g.Head.Value
	}
	return found
}

// top is the largest value of a number, or infinity when it cannot be told. why
// names what makes it so large as the configuration wants it.
func (b *bounds) top(r *ast.Rule, t *ast.Term, depth int) (top float64, why string) {
	if depth > 16 {
		return math.Inf(1), ""
	}
	switch v := t.Value.(type) {
	case ast.Number:
		if n, ok := v.Float64(); ok {
			return n, ""
		}
	case ast.Var:
		if next := b.value(r, v); next != nil {
			return b.top(r, next, depth+1)
		}
	case ast.Ref:
		return b.field(v)
	case ast.Call:
		return b.callTop(r, v, depth)
	}
	return math.Inf(1), ""
}

// field is the maximum that the schema gives a field of the input.
func (b *bounds) field(ref ast.Ref) (float64, string) {
	if !ref.HasPrefix(ast.InputRootRef) {
		return math.Inf(1), ""
	}
	n := b.schema
	for _, key := range ref[1:] {
		var ok bool
		if n, ok = n.step(key); !ok {
			return math.Inf(1), ""
		}
	}
	if n != nil && n.max != nil {
		return *n.max, ""
	}
	if strings.HasPrefix(ref.String(), "input.config.") {
		return math.Inf(1), ref.String()
	}
	return math.Inf(1), ""
}

func (b *bounds) callTop(r *ast.Rule, call ast.Call, depth int) (top float64, why string) {
	arg := func(i int) (float64, string) {
		if i >= len(call) {
			return math.Inf(1), ""
		}
		return b.top(r, call[i], depth+1)
	}
	x, why := arg(1)
	switch call[0].String() {
	case "object.get":
		if strings.HasPrefix(call[1].String(), "input.config.") {
			return math.Inf(1), call[1].String()
		}
	case "to_number", "round", "floor", "ceil", "minus":
		return x, why
	case "mul", "plus", "div":
		y, more := arg(2)
		switch call[0].String() {
		case "mul":
			x *= y
		case "plus":
			x += y
		default:
			x /= y
		}
		return x, why + more
	case "min", "max":
		return b.extreme(r, call, depth)
	}
	return math.Inf(1), ""
}

// extreme is the bound of min([...]) and max([...]).
func (b *bounds) extreme(r *ast.Rule, call ast.Call, depth int) (top float64, why string) {
	var list []*ast.Term
	switch v := call[1].Value.(type) {
	case *ast.Array:
		v.Foreach(func(t *ast.Term) { list = append(list, t) })
	case ast.Set:
		v.Foreach(func(t *ast.Term) { list = append(list, t) })
	}
	if len(list) == 0 {
		return math.Inf(1), ""
	}
	smallest := call[0].String() == "min"
	top = math.Inf(-1)
	if smallest {
		top = math.Inf(1)
	}
	for _, t := range list {
		x, w := b.top(r, t, depth+1)
		if smallest && x < top || !smallest && x > top {
			top = x
		}
		why += w
	}
	if smallest && !math.IsInf(top, 1) {
		why = ""
	}
	return top, why
}
