package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/stophook/stophook/policy"
)

// checkAnswer looks at an object that a rule adds to demand or defer, as far as it
// is written down. The aggregator refuses others when it is too late.
func (c *checker) checkAnswer(f *file, r *ast.Rule, m *policy.RuleMeta) {
	t := resolve(r, r.Head.Key)
	obj, ok := t.Value.(ast.Object)
	if !ok {
		switch t.Value.(type) {
		case ast.String, ast.Number, ast.Boolean, ast.Null, *ast.Array, ast.Set:
			c.at(f, t.Location, Finding{Kind: KindDemandShape, Message: fmt.Sprintf("%s of %s takes objects", r.Head.Name, m.Name), Hint: example(m)})
		}
		return
	}
	allowed, required := []string{"text", "code", "evidence"}, []string{"text"}
	if m.Deferral {
		allowed, required = []string{"code", "task_id", "until"}, []string{"task_id", "code"}
	}
	fixed := true
	obj.Foreach(func(k, v *ast.Term) {
		key, isText := k.Value.(ast.String)
		if !isText {
			fixed = false
			return
		}
		c.checkAnswerKey(f, r, m, string(key), k, resolve(r, v), allowed)
	})
	for _, key := range required {
		if fixed && obj.Get(ast.StringTerm(key)) == nil {
			c.at(f, t.Location, Finding{Kind: KindDemandShape, Message: fmt.Sprintf("this object of %s lacks %s, which makes every decision a policy error", m.Name, key), Hint: example(m)})
		}
	}
}

func (c *checker) checkAnswerKey(f *file, r *ast.Rule, m *policy.RuleMeta, key string, k, v *ast.Term, allowed []string) {
	text, isText := v.Value.(ast.String)
	switch {
	case !slices.Contains(allowed, key):
		c.at(f, k.Location, Finding{Kind: KindDemandShape, Message: fmt.Sprintf("an object of %s has no key %s; one makes every decision a policy error", r.Head.Name, key),
			Hint: suggest(key, allowed, "")})
	case key == "code" && isText && !slices.Contains(m.Codes, string(text)):
		c.at(f, v.Location, Finding{Kind: KindDemandShape, Message: fmt.Sprintf("code %s is not one of the METADATA of %s", text, m.Name),
			Hint: suggest(string(text), m.Codes, "list it there under codes")})
	case key == "task_id" && isText && strings.TrimSpace(string(text)) == "":
		c.at(f, v.Location, Finding{Kind: KindDemandShape, Message: "a deferral needs the id of the task that ends it", Hint: "use the id of an entry of input.tasks or input.handoffs"})
	case key == "text":
		c.checkText(f, r, v)
	}
}

func example(m *policy.RuleMeta) string {
	if m.Deferral {
		return "write `defer contains {\"code\": \"" + m.Codes[0] + "\", \"task_id\": task.id}`"
	}
	return "write `demand contains {\"text\": \"what is missing: run `COMMAND`.\"}`"
}

// resolve follows a variable to what the body assigns to it.
func resolve(r *ast.Rule, t *ast.Term) *ast.Term {
	for range 8 {
		v, ok := t.Value.(ast.Var)
		if !ok {
			return t
		}
		next := assigned(r.Body, v)
		if next == nil {
			return t
		}
		t = next
	}
	return t
}

// assigned is the term of `v := term`, when there is one.
func assigned(body ast.Body, v ast.Var) (found *ast.Term) {
	for _, e := range body {
		terms, ok := e.Terms.([]*ast.Term)
		if !ok || len(terms) != 3 || !slices.Contains([]string{"assign", "eq"}, terms[0].String()) || !terms[1].Equal(ast.NewTerm(v)) {
			continue
		}
		found = terms[2]
	}
	return found
}

// checkText warns of texts that tell an agent nothing it could do.
func (c *checker) checkText(f *file, r *ast.Rule, t *ast.Term) {
	p := &pieces{module: f.module, seen: map[ast.Var]bool{}}
	p.collect(r, t, 0)
	blank := strings.TrimSpace(strings.Join(p.texts, "")) == ""
	switch {
	case p.opaque || blank && p.data:
	case blank:
		c.at(f, t.Location, Finding{Severity: SeverityWarning, Kind: KindDemandText, Message: "the text of this demand is blank, which makes every decision a policy error",
			Hint: "say what is missing, and the command that repairs it"})
	case !p.actionable():
		c.at(f, t.Location, Finding{Severity: SeverityWarning, Kind: KindDemandText, Message: "the text of this demand names no command and no step",
			Hint: "the agent reads this text and nothing else: end it with what to do, such as run `make test`"})
	}
}

// pieces are the constant texts that a demand is put together from.
type pieces struct {
	module *ast.Module
	seen   map[ast.Var]bool
	texts  []string
	data   bool // a part is a field of the session
	opaque bool // a part comes from somewhere that cannot be seen here
}

func (p *pieces) collect(r *ast.Rule, t *ast.Term, depth int) {
	if depth > 16 {
		p.opaque = true
		return
	}
	switch v := t.Value.(type) {
	case ast.String:
		p.texts = append(p.texts, string(v))
	case ast.Number, ast.Boolean, ast.Null:
	case *ast.Array:
		v.Foreach(func(x *ast.Term) { p.collect(r, x, depth+1) })
	case ast.Call:
		if ast.BuiltinMap[v[0].String()] == nil {
			p.opaque = true
		}
		for _, x := range v[1:] {
			p.collect(r, x, depth+1)
		}
	case ast.Ref:
		p.ref(v)
	case ast.Var:
		p.variable(r, v, depth)
	default:
		p.opaque = true
	}
}

// ref tells fields of the session, which name no command, from configuration and
// other rules, which may.
func (p *pieces) ref(ref ast.Ref) {
	head, _ := ref[0].Value.(ast.Var)
	elsewhere := ref[0].Equal(ast.DefaultRootDocument) || slices.ContainsFunc(p.module.Imports, func(i *ast.Import) bool { return i.Name() == head }) ||
		slices.ContainsFunc(p.module.Rules, func(r *ast.Rule) bool { return r.Head.Name == head })
	s := ref.String()
	if elsewhere || strings.HasPrefix(s, "input.config.params") || strings.HasPrefix(s, "input.self") {
		p.opaque = true
	}
	p.data = true
}

func (p *pieces) variable(r *ast.Rule, v ast.Var, depth int) {
	if p.seen[v] {
		return
	}
	p.seen[v] = true
	if t := assigned(r.Body, v); t != nil {
		p.collect(r, t, depth+1)
		return
	}
	found := false
	for _, g := range p.module.Rules {
		for ; g != nil && g.Head.Name == v && len(g.Head.Args) == 0 && g.Head.Value != nil; g = g.Else {
			found = true
			p.collect(g, g.Head.Value, depth+1)
		}
	}
	p.opaque = p.opaque || !found
}

// actionable reports whether a text shows a command or begins a sentence with a
// verb that tells what to do.
func (p *pieces) actionable() bool {
	all := strings.Join(p.texts, " ")
	if strings.Contains(all, "`") {
		return true
	}
	for _, w := range strings.FieldsFunc(strings.ToLower(all), func(r rune) bool { return (r < 'a' || r > 'z') && r != '-' }) {
		if slices.Contains(verbs(), w) {
			return true
		}
	}
	return false
}

func verbs() []string {
	return []string{"run", "call", "use", "add", "write", "commit", "push", "read", "open", "wait", "ask", "fix", "remove", "delete",
		"update", "look", "show", "say", "tell", "name", "declare", "finish", "collect", "stop", "check", "set", "put", "move", "revert",
		"mention", "explain", "list", "quote", "create", "rename", "describe", "record", "correct", "repair", "restore", "undo"}
}
