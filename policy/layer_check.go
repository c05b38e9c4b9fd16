package policy

import (
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// forbidden tells why policies cannot use a built-in function, or is empty. A
// verdict must follow from the input alone: the same input gives the same
// verdict in the hook, in replay and in a test (RG-1).
func forbidden(b *ast.Builtin) string {
	switch {
	case strings.HasPrefix(b.Name, "http.") || strings.HasPrefix(b.Name, "net."):
		return "it uses the network"
	case strings.HasPrefix(b.Name, "providers."):
		return "it makes requests for services in the network"
	case b.Name == "time.now_ns":
		return "it reads the clock; the time is input.now"
	case strings.HasPrefix(b.Name, "rand.") || strings.HasPrefix(b.Name, "uuid.rfc"):
		return "it is random"
	case b.Name == "opa.runtime":
		return "it reads the environment"
	case b.Name == "io.jwt.decode_verify" || strings.HasPrefix(b.Name, "io.jwt.encode_sign"):
		return "it depends on the clock or on randomness"
	case b.Name == "json.match_schema" || b.Name == "json.verify_schema":
		return "a schema can pull in parts over the network"
	case b.IsNondeterministic() && !strings.HasPrefix(b.Name, "rego.metadata") && b.Name != "type_name":
		return "its result does not follow from its arguments"
	}
	return ""
}

// allowedCapabilities is OPA's own list without what is forbidden, and without
// hosts to fetch from.
func allowedCapabilities() *ast.Capabilities {
	caps := ast.CapabilitiesForThisVersion()
	kept := make([]*ast.Builtin, 0, len(caps.Builtins))
	for _, b := range caps.Builtins {
		if forbidden(b) == "" {
			kept = append(kept, b)
		}
	}
	caps.Builtins, caps.AllowNet = kept, []string{}
	return caps
}

// checkBuiltins names every use of a forbidden function with its reason; to the
// compiler it would only be an undefined function.
func (o *overlays) checkBuiltins(f *sourceFile) {
	check := func(op *ast.Term) {
		ref, ok := op.Value.(ast.Ref)
		if !ok {
			return
		}
		name := ref.String()
		if b := ast.BuiltinMap[name]; b != nil {
			if why := forbidden(b); why != "" {
				o.fail(KindBuiltin, f, op.Location, "policies see the input document and nothing else", "%s cannot be used in policies: %s", name, why)
			}
		}
	}
	ast.WalkExprs(f.module, func(e *ast.Expr) bool {
		if terms, ok := e.Terms.([]*ast.Term); ok {
			check(terms[0])
		}
		return false
	})
	ast.WalkTerms(f.module, func(t *ast.Term) bool {
		if call, ok := t.Value.(ast.Call); ok {
			check(call[0])
		}
		return false
	})
}

// checkHeads makes sure that a rule answers where the aggregator asks: in a set
// named demand, or defer for a deferral. A demand in another form, or under a
// misspelt name, would be a silent pass.
func (o *overlays) checkHeads() {
	answers := map[string]bool{}
	for _, f := range o.files {
		if f.kind == helperPackage {
			continue
		}
		want := wanted(f)
		for _, r := range f.module.Rules {
			ref := r.Head.Ref()
			name, _ := ref[0].Value.(ast.Var)
			if string(name) != want && (name != "notice" || f.kind != rulePackage) {
				continue
			}
			if len(ref) != 1 || r.Head.RuleKind() != ast.MultiValue || len(r.Head.Args) > 0 {
				o.fail(KindShape, f, r.Location, "write `"+string(name)+" contains ... if { ... }`", "%s of rule %s must be a set", name, f.rule)
			}
			if string(name) == want {
				answers[f.rule] = true
			}
		}
	}
	for _, f := range o.files {
		if f.kind != helperPackage && o.rules[f.rule] == f && !answers[f.rule] {
			o.fail(KindSilent, f, f.module.Package.Location, "write `"+wanted(f)+" contains {...} if { ... }`", "%s defines no %s, so it could never say anything", f.rule, wanted(f))
		}
	}
}

func wanted(f *sourceFile) string {
	if f.kind == deferralPackage {
		return "defer"
	}
	return "demand"
}

// checkRefs looks at the compiled files, where every reference is spelt out, for
// those that would ask the aggregator: it asks the rules, so it would never end.
func (o *overlays) checkRefs(modules map[string]*ast.Module) {
	for _, f := range o.files {
		m := modules[f.name]
		if m == nil {
			continue
		}
		ast.WalkRefs(m, func(ref ast.Ref) bool {
			if ref[0].Equal(ast.DefaultRootDocument) && asksAggregator(ref) {
				o.fail(KindAggregator, f, ref[0].Location, "name what you need below data, for example data.stophook.rules.NAME; the input document is input",
					"%s covers the aggregator, which asks the rules itself", ref)
			}
			return false
		})
	}
}

func asksAggregator(ref ast.Ref) bool {
	if len(ref) < 2 {
		return true
	}
	first, ok := ref[1].Value.(ast.String)
	if !ok {
		return true
	}
	if first != "stophook" {
		return false
	}
	if len(ref) < 3 {
		return true
	}
	second, ok := ref[2].Value.(ast.String)
	return !ok || second == "main"
}
