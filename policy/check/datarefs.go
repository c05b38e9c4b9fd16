package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// names are the packages of all files and what each defines.
type names map[string]map[string]bool

func (c *checker) names() names {
	all := names{}
	for _, f := range c.files {
		if f.module == nil {
			continue
		}
		p := dotted(f.module.Package.Path)
		if all[p] == nil {
			all[p] = map[string]bool{}
		}
		for _, r := range f.module.Rules {
			if head, ok := r.Head.Ref()[0].Value.(ast.Var); ok {
				all[p][string(head)] = true
			}
		}
	}
	for _, m := range c.inspect.Builtin {
		kind := "rules"
		if m.Deferral {
			kind = "deferrals"
		}
		all["stophook."+kind+"."+m.Name] = nil // what it defines is its own business
	}
	for _, doc := range []string{"meta", "deferral_meta", "known", "warnings"} {
		all["stophook."+doc] = nil // the engine's own documents
	}
	return all
}

// dotted is a path without the leading data, up to its first key that is no text.
func dotted(ref ast.Ref) string {
	var parts []string
	for _, t := range ref[1:] {
		s, ok := t.Value.(ast.String)
		if !ok {
			break
		}
		parts = append(parts, string(s))
	}
	return strings.Join(parts, ".")
}

// checkDataRefs finds references to packages and rules that do not exist. The hook
// has no other data than the policies, so these are always undefined, and a rule
// that needs them never says anything.
func (c *checker) checkDataRefs(f *file, all names) {
	mocked := map[string]bool{}
	ast.WalkWiths(f.module, func(w *ast.With) bool {
		if ref, ok := w.Target.Value.(ast.Ref); ok && ref.HasPrefix(ast.DefaultRootRef) {
			mocked[dotted(ref)] = true
		}
		return false
	})
	aliases := map[ast.Var]ast.Ref{}
	for _, i := range f.module.Imports {
		ref, ok := i.Path.Value.(ast.Ref)
		if !ok || !ref.HasPrefix(ast.DefaultRootRef) {
			continue
		}
		if c.dataRef(f, all, mocked, ref, i.Location) {
			aliases[i.Name()] = ref
		}
	}
	ast.WalkRefs(f.module, func(ref ast.Ref) bool {
		head, ok := ref[0].Value.(ast.Var)
		if !ok || len(ref) < 2 {
			return false
		}
		if target, ok := aliases[head]; ok {
			c.dataRef(f, all, mocked, target.Concat(ref[1:]), ref[0].Location)
		} else if ref[0].Equal(ast.DefaultRootDocument) && ref[0].Location != nil && !c.declares(f, ref) {
			c.dataRef(f, all, mocked, ref, ref[0].Location)
		}
		return false
	})
}

// declares reports whether a reference is the file's package clause or one of its
// imports.
func (c *checker) declares(f *file, ref ast.Ref) bool {
	row := ref[0].Location.Row
	return row == f.module.Package.Location.Row || slices.ContainsFunc(f.module.Imports, func(i *ast.Import) bool { return i.Location.Row == row })
}

// dataRef reports a reference that leads nowhere; it is false then.
func (c *checker) dataRef(f *file, all names, mocked map[string]bool, ref ast.Ref, loc *ast.Location) bool {
	path := dotted(ref)
	if path == "" || within(path, "stophook.main") { // asking the aggregator has a check of its own
		return true
	}
	for m := range mocked {
		if within(path, m) || within(m, path) {
			return true
		}
	}
	best, known := "", false
	for p, defined := range all {
		if within(p, path) || defined == nil && within(path, p) {
			return true // names a package, or a part of the tree above packages
		}
		if within(path, p) && len(p) >= len(best) {
			best, known = p, true
		}
	}
	if !known && c.lostFile() {
		return true
	}
	c.told[fieldKey(f.name, loc.Row, path)] = true
	if !known {
		c.at(f, loc, Finding{Kind: KindDataRef, Message: fmt.Sprintf("there is no package data.%s, so this is always undefined", path),
			Hint: suggest("data."+path, packageNames(all), "if it lies in another folder of policies, check both together")})
		return false
	}
	name, _, _ := strings.Cut(path[len(best)+1:], ".")
	if all[best][name] || c.lostName(best, name) {
		delete(c.told, fieldKey(f.name, loc.Row, path))
		return true
	}
	c.at(f, loc, Finding{Kind: KindDataRef, Message: fmt.Sprintf("package %s defines no %s, so this is always undefined", best, name),
		Hint: suggest(name, slices.Collect(maps.Keys(all[best])), "")})
	return false
}

// within reports whether path lies at or below prefix.
func within(path, prefix string) bool {
	return path == prefix || strings.HasPrefix(path, prefix+".")
}

func packageNames(all names) []string {
	var list []string
	for p, defined := range all {
		if defined != nil && !strings.HasSuffix(p, "_test") {
			list = append(list, "data."+p)
		}
	}
	return list
}

// lostFile reports whether a file is unreadable as a whole, so that its package is
// not known.
func (c *checker) lostFile() bool {
	return slices.ContainsFunc(c.files, func(f *file) bool { return f.module == nil && len(strings.TrimSpace(string(f.src))) > 0 })
}

func (c *checker) lostName(pkg, name string) bool {
	for _, f := range c.files {
		if f.module == nil && strings.Contains(string(f.src), "package "+pkg) || f.module != nil && dotted(f.module.Package.Path) == pkg && f.lost(name) {
			return true
		}
	}
	return false
}
