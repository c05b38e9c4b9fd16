package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// fieldWalk looks at one file for fields that the input document does not have, and
// for comparisons with words that a field cannot hold. OPA's type checker finds
// many of these; what it cannot see are object.get with a default, the documents
// that tests put in the place of the input, and everything in rules that have
// another fault.
type fieldWalk struct {
	c       *checker
	f       *file
	globals map[ast.Var]*node // rules that are only another name for a part of the input
	values  map[ast.Var]*ast.Term
}

// scope knows what local variables stand for.
type scope map[ast.Var]*node

func (c *checker) checkFields(f *file) {
	w := &fieldWalk{c: c, f: f, globals: map[ast.Var]*node{}, values: map[ast.Var]*ast.Term{}}
	for _, i := range f.module.Imports {
		if ref, ok := i.Path.Value.(ast.Ref); ok && ref.HasPrefix(ast.InputRootRef) {
			w.globals[i.Name()] = w.ref(ref, scope{}, true)
		}
	}
	defined := map[ast.Var]int{}
	for _, r := range f.module.Rules {
		defined[r.Head.Name]++
	}
	for _, r := range f.module.Rules {
		if h := r.Head; defined[h.Name] == 1 && len(h.Args) == 0 && len(h.Reference) <= 1 && h.Key == nil && h.Value != nil && r.Else == nil {
			w.values[h.Name] = h.Value
			if n := w.node(h.Value, scope{}); n != nil && len(r.Body) <= 1 {
				w.globals[h.Name] = n
			}
		}
	}
	for _, r := range f.module.Rules {
		w.rule(r)
	}
}

func (w *fieldWalk) rule(r *ast.Rule) {
	for ; r != nil; r = r.Else {
		env := scope{}
		for _, a := range r.Head.Args {
			hide(env, a)
		}
		env = w.bind(r.Body, env)
		for _, t := range []*ast.Term{r.Head.Key, r.Head.Value} {
			if t != nil {
				w.term(t, env)
			}
		}
		w.body(r.Body, env)
	}
}

// hide makes the variables of a term unknown, because they get their values
// elsewhere.
func hide(env scope, t *ast.Term) {
	ast.WalkVars(t, func(v ast.Var) bool {
		env[v] = nil
		return false
	})
}

// bind gives a scope with what the expressions of a body say about its variables.
func (w *fieldWalk) bind(body ast.Body, env scope) scope {
	env = maps.Clone(env)
	for range 2 { // expressions may stand in any order
		for _, e := range body {
			switch terms := e.Terms.(type) {
			case *ast.SomeDecl:
				if len(terms.Symbols) == 1 {
					w.bindSome(terms.Symbols[0], env)
				}
			case []*ast.Term:
				if op := e.Operator().String(); len(terms) == 3 && (op == "assign" || op == "eq") {
					w.assign(terms[1], terms[2], env)
				}
			}
		}
	}
	return env
}

// bindSome reads `some x in COLLECTION` and `some k, x in COLLECTION`.
func (w *fieldWalk) bindSome(t *ast.Term, env scope) {
	call, ok := t.Value.(ast.Call)
	if !ok {
		hide(env, t)
		return
	}
	item, coll := call[len(call)-2], call[len(call)-1]
	for _, v := range call[1 : len(call)-1] {
		hide(env, v)
	}
	if v, ok := item.Value.(ast.Var); ok {
		env[v] = element(w.node(coll, env))
	}
}

func element(n *node) *node {
	if n == nil || n.open {
		return nil
	}
	return n.every
}

func (w *fieldWalk) assign(to, from *ast.Term, env scope) {
	switch v := to.Value.(type) {
	case ast.Var:
		env[v] = w.node(from, env)
	case *ast.Array, ast.Object:
		hide(env, to)
	}
}

// node tells what part of the input a term stands for, without reporting.
func (w *fieldWalk) node(t *ast.Term, env scope) *node {
	switch v := t.Value.(type) {
	case ast.Var:
		return w.variable(v, env)
	case ast.Ref:
		return w.ref(v, env, false)
	case ast.Call:
		n, _, _ := w.get(v, env)
		return n
	}
	return nil
}

func (w *fieldWalk) variable(v ast.Var, env scope) *node {
	if n, local := env[v]; local {
		return n
	}
	if v == ast.InputRootDocument.Value.(ast.Var) {
		return w.c.schema
	}
	return w.globals[v]
}

// ref follows a reference; with tell set, a step into nothing is reported.
func (w *fieldWalk) ref(ref ast.Ref, env scope, tell bool) *node {
	head, ok := ref[0].Value.(ast.Var)
	if !ok {
		return nil
	}
	n := w.variable(head, env)
	for _, key := range ref[1:] {
		next, found := n.step(key)
		if !found {
			if tell {
				w.missing(n, key, ref[0].Location)
			}
			return nil
		}
		n = next
	}
	return n
}

// get reads object.get(x, "key", default) and object.get(x, ["a", "b"], default).
// When a key leads into nothing, bad is that key and n where it was asked for.
func (w *fieldWalk) get(call ast.Call, env scope) (n *node, bad *ast.Term, ok bool) {
	if call[0].String() != "object.get" || len(call) != 4 {
		return nil, nil, false
	}
	n = w.node(call[1], env)
	keys := []*ast.Term{call[2]}
	if path, isArray := call[2].Value.(*ast.Array); isArray {
		keys = keys[:0]
		path.Foreach(func(t *ast.Term) { keys = append(keys, t) })
	}
	for _, key := range keys {
		next, found := n.step(key)
		if !found {
			return n, key, true
		}
		n = next
	}
	return n, nil, true
}

func (w *fieldWalk) missing(n *node, key *ast.Term, loc *ast.Location) {
	if key.Location != nil && key.Location.Row > 0 {
		loc = key.Location
	}
	name := strings.Trim(key.String(), `"`)
	if loc == nil || w.c.told[fieldKey(w.f.name, loc.Row, name)] {
		return
	}
	w.c.told[fieldKey(w.f.name, loc.Row, name)] = true
	x := Finding{Kind: KindInputField, Message: fmt.Sprintf("the input document has no field %s.%s", n.path, name), Hint: suggest(name, n.names(), "")}
	switch {
	case n.list:
		x.Message = fmt.Sprintf("%s is a list and has no field %s", n.path, name)
		x.Hint = "go through it: `some x in " + n.path + "`, then x." + name
	case n.leaf:
		x.Message = fmt.Sprintf("%s is a single value and has no field %s", n.path, name)
	}
	w.c.at(w.f, loc, x)
}

func fieldKey(file string, line int, name string) string {
	return fmt.Sprintf("%s:%d:%s", file, line, name)
}

func (w *fieldWalk) body(body ast.Body, env scope) {
	for _, e := range body {
		w.expr(e, env)
	}
}

func (w *fieldWalk) expr(e *ast.Expr, env scope) {
	replaced := false
	for _, with := range e.With {
		w.with(with, env)
		if ref, ok := with.Target.Value.(ast.Ref); ok && ref.HasPrefix(ast.InputRootRef) {
			replaced = true
		}
	}
	switch terms := e.Terms.(type) {
	case *ast.Term:
		w.term(terms, env)
	case []*ast.Term:
		if !replaced {
			w.compare(terms, env)
		}
		for _, t := range terms[1:] {
			w.term(t, env)
		}
		w.call(ast.Call(terms), env)
	case *ast.SomeDecl:
		for _, t := range terms.Symbols {
			w.term(t, env)
		}
	case *ast.Every:
		w.term(terms.Domain, env)
		inner := maps.Clone(env)
		if terms.Key != nil {
			hide(inner, terms.Key)
		}
		if v, ok := terms.Value.Value.(ast.Var); ok {
			inner[v] = element(w.node(terms.Domain, env))
		}
		w.body(terms.Body, w.bind(terms.Body, inner))
	}
}

// term reports what is wrong in a term and what it is made of.
func (w *fieldWalk) term(t *ast.Term, env scope) {
	switch v := t.Value.(type) {
	case ast.Ref:
		w.ref(v, env, true)
		for _, x := range v[1:] {
			w.term(x, env)
		}
	case ast.Call:
		w.compare(v, env)
		for _, x := range v[1:] {
			w.term(x, env)
		}
		w.call(v, env)
	case *ast.Array:
		v.Foreach(func(x *ast.Term) { w.term(x, env) })
	case ast.Set:
		v.Foreach(func(x *ast.Term) { w.term(x, env) })
	case ast.Object:
		v.Foreach(func(k, x *ast.Term) { w.term(k, env); w.term(x, env) })
	case *ast.ArrayComprehension:
		w.closure(v.Body, env, v.Term)
	case *ast.SetComprehension:
		w.closure(v.Body, env, v.Term)
	case *ast.ObjectComprehension:
		w.closure(v.Body, env, v.Key, v.Value)
	}
}

func (w *fieldWalk) closure(body ast.Body, env scope, heads ...*ast.Term) {
	inner := w.bind(body, env)
	for _, t := range heads {
		w.term(t, inner)
	}
	w.body(body, inner)
}

func (w *fieldWalk) call(call ast.Call, env scope) {
	if n, bad, ok := w.get(call, env); ok && bad != nil {
		w.missing(n, bad, call[0].Location)
	}
}

// compare finds comparisons that can never hold, such as state == "runing".
func (w *fieldWalk) compare(call []*ast.Term, env scope) {
	if len(call) != 3 {
		return
	}
	switch call[0].String() {
	case "equal", "eq", "neq", "assign":
		w.word(w.node(call[1], env), call[2])
		w.word(w.node(call[2], env), call[1])
	case "internal.member_2":
		set := func(t *ast.Term) { w.word(w.node(call[1], env), t) }
		switch v := call[2].Value.(type) {
		case ast.Set:
			v.Foreach(set)
		case *ast.Array:
			v.Foreach(set)
		}
	}
}

func (w *fieldWalk) word(n *node, t *ast.Term) {
	s, ok := t.Value.(ast.String)
	if !ok || n == nil || len(n.values) == 0 || slices.Contains(n.values, string(s)) {
		return
	}
	w.c.at(w.f, t.Location, Finding{Kind: KindInputValue, Message: fmt.Sprintf("%s is never %q", n.path, string(s)), Hint: suggest(string(s), n.values, "")})
}

// with looks at the documents that tests put in the place of the input: a
// misspelt field there makes a test pass that should not.
func (w *fieldWalk) with(with *ast.With, env scope) {
	w.term(with.Value, env)
	ref, ok := with.Target.Value.(ast.Ref)
	if !ok || !ref.HasPrefix(ast.InputRootRef) {
		return
	}
	w.literal(w.ref(ref, scope{}, true), with.Value, env, 0)
}

// literal compares a written document with the schema.
func (w *fieldWalk) literal(n *node, t *ast.Term, env scope, depth int) {
	if n == nil || depth > 32 {
		return
	}
	switch v := t.Value.(type) {
	case ast.Object:
		v.Foreach(func(k, x *ast.Term) {
			if next, found := n.step(k); found {
				w.literal(next, x, env, depth+1)
			} else if !n.list && !n.leaf {
				w.missing(n, k, t.Location)
			}
		})
	case *ast.Array:
		v.Foreach(func(x *ast.Term) { w.literal(element(n), x, env, depth+1) })
	case ast.Call:
		if name := v[0].String(); name == "object.union" || name == "array.concat" {
			for _, x := range v[1:] {
				w.literal(n, x, env, depth+1)
			}
		}
	case *ast.ArrayComprehension:
		w.literal(element(n), v.Term, env, depth+1)
	case ast.Var:
		if _, local := env[v]; !local && w.values[v] != nil {
			w.literal(n, w.values[v], scope{}, depth+1)
		}
	}
}
