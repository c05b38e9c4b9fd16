package policy

import (
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// An InspectFile is a policy file that was parsed, for [Inspect].
type InspectFile struct {
	Name   string // as messages show it; also the key of the module in a compiler
	Layer  int    // index into the names of the layers
	Module *ast.Module
}

// An Inspection is what the loader of the hook thinks of policy files.
type Inspection struct {
	Rules   []RuleMeta   // rules and deferrals that the files define and whose METADATA have a code
	Builtin []RuleMeta   // those of the built-in layer; none when the files are that layer
	Errors  PolicyErrors // by layer, in the order in which the loader finds them

	overlays *overlays
}

// Inspect applies every check that [NewEngine] makes before it compiles, and
// collects all faults. It is for tools that look at policies and do not run them:
// they parse with [ParsePolicy], keep the modules, and compile as they like.
//
// With builtin set, the files are the sources of the built-in layer, so that
// its names are not taken.
func Inspect(layers []string, files []InspectFile, builtin bool) (*Inspection, error) {
	var metas []*RuleMeta
	if !builtin {
		var err error
		if metas, _, err = loadBuiltin(func(*RuleMeta) bool { return false }, false); err != nil {
			return nil, err
		}
	}
	o := &overlays{names: append([]string{LayerBuiltin}, layers...), rules: map[string]*sourceFile{}, main: builtin}
	for _, m := range metas {
		o.rules[m.Name] = &sourceFile{name: m.File, rule: m.Name, kind: kindOf(m)}
	}
	for _, f := range files {
		o.files = append(o.files, &sourceFile{name: f.Name, layer: f.Layer + 1, module: f.Module})
	}
	o.check()
	i := &Inspection{Errors: o.errs, overlays: o}
	for _, m := range o.metas {
		i.Rules = append(i.Rules, *m)
	}
	for _, m := range metas {
		i.Builtin = append(i.Builtin, *m)
	}
	return i, nil
}

// CheckRefs finds references to the aggregator in compiled modules, where every
// reference is spelt out. The keys are the names of the files.
func (i *Inspection) CheckRefs(compiled map[string]*ast.Module) PolicyErrors {
	before := len(i.overlays.errs)
	i.overlays.checkRefs(compiled)
	return i.overlays.errs[before:]
}

// Forbidden tells why policies cannot use the built-in function of a name, or is
// empty when they can, or when there is no such function.
func Forbidden(name string) string {
	if b := ast.BuiltinMap[name]; b != nil {
		return forbidden(b)
	}
	return ""
}

// RuleOf tells which rule or deferral a package is of: stophook.rules.NAME and
// stophook.deferrals.NAME. The name is empty for every other package.
func RuleOf(pkg *ast.Package) (name string, deferral bool) {
	parts := packageParts(pkg.Path)
	if len(parts) != 3 || parts[0] != "stophook" || parts[1] != "rules" && parts[1] != "deferrals" {
		return "", false
	}
	return parts[2], parts[1] == "deferrals"
}

// isMain reports whether parts name the aggregator's own package.
func isMain(parts []string) bool { return strings.Join(parts, ".") == "stophook.main" }
