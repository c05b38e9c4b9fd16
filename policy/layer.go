package policy

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// LayerBuiltin is the name of the layer that [NewEngine] puts before all others.
const LayerBuiltin = "built-in"

// A Layer is one source of policies. Layers are ranked: what a later one says
// can add to an earlier one and never take anything from it.
//
// A layer is a tree of .rego files; files named *_test.rego and what lies in
// folders that begin with a dot are not read.
type Layer struct {
	Name string // in messages and decisions: org, user, project, ...
	FS   fs.FS  // the tree
	Root string // where the tree lies, for messages; paths are shown below it
}

// A sourceFile is one parsed policy file.
type sourceFile struct {
	name   string // as shown, and the key in the compiler
	layer  int
	module *ast.Module
	kind   packageKind
	rule   string // of kinds rulePackage and deferralPackage
}

type packageKind int

const (
	helperPackage packageKind = iota
	rulePackage
	deferralPackage
)

// overlays is what the layers above the built-in one contain.
type overlays struct {
	names []string // of layers by rank; 0 is the built-in one
	files []*sourceFile
	metas []*RuleMeta
	errs  PolicyErrors
	// rules knows who defined a rule or deferral first: its METADATA or, while
	// they are not read yet, its first file.
	rules map[string]*sourceFile
	main  bool // the files are the built-in layer's, so that the aggregator may be among them
}

func (o *overlays) layerOf(file string) string {
	for _, f := range o.files {
		if f.name == file {
			return o.names[f.layer]
		}
	}
	return ""
}

func (o *overlays) fail(kind string, f *sourceFile, loc *ast.Location, hint, format string, args ...any) *PolicyError {
	e := at(loc, o.names[f.layer], fmt.Sprintf(format, args...), hint)
	e.File, e.Kind = f.name, kind
	o.errs = append(o.errs, e)
	return e
}

// loadOverlays reads, parses and checks the layers. Every fault is collected;
// what is readable stays usable for [Engine.Fail].
func loadOverlays(layers []Layer, builtin []*RuleMeta) *overlays {
	o := &overlays{names: []string{LayerBuiltin}, rules: map[string]*sourceFile{}}
	for _, m := range builtin {
		o.rules[m.Name] = &sourceFile{name: m.File, rule: m.Name, kind: kindOf(m)}
	}
	caps := ast.CapabilitiesForThisVersion()
	for i, l := range layers {
		o.names = append(o.names, l.Name)
		o.read(i+1, l, caps)
	}
	o.check()
	return o
}

// check looks at all files that were parsed.
func (o *overlays) check() {
	for _, f := range o.files {
		o.claim(f)
	}
	o.readMeta()
	for _, f := range o.files {
		o.checkBuiltins(f)
	}
	o.checkHeads()
}

func kindOf(m *RuleMeta) packageKind {
	if m.Deferral {
		return deferralPackage
	}
	return rulePackage
}

// read parses the files of one layer.
func (o *overlays) read(rank int, l Layer, caps *ast.Capabilities) {
	l.Each(false, func(p string, src []byte, err error) {
		f := &sourceFile{name: path.Join(l.Root, p), layer: rank}
		if err != nil {
			o.errs = append(o.errs, &PolicyError{File: f.name, Message: "cannot be read: " + err.Error(), Layer: l.Name, Kind: KindUnreadable})
			return
		}
		o.parse(f, string(src), caps)
	})
}

// Each reads the policy files of the layer in the order of their names, and with
// tests set the files named *_test.rego as well. What cannot be read is visited
// with an error; the walk goes on behind it.
func (l Layer) Each(tests bool, visit func(name string, src []byte, err error)) {
	if l.FS == nil {
		visit(".", nil, fs.ErrNotExist)
		return
	}
	err := fs.WalkDir(l.FS, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			visit(p, nil, err)
			return nil
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && p != ".":
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(p, ".rego") || !tests && strings.HasSuffix(p, "_test.rego"):
			return nil
		}
		src, err := l.file(p, d)
		visit(p, src, err)
		return nil
	})
	if err != nil {
		visit(".", nil, err)
	}
}

// errNotRegular is a pipe or a device under the name of a policy: reading it could
// hold the hook for ever.
var errNotRegular = errors.New("is no regular file")

func (l Layer) file(p string, d fs.DirEntry) ([]byte, error) {
	mode := d.Type()
	if mode&fs.ModeSymlink != 0 {
		st, err := fs.Stat(l.FS, p)
		if err != nil {
			return nil, err
		}
		mode = st.Mode()
	}
	if !mode.IsRegular() {
		return nil, errNotRegular
	}
	return fs.ReadFile(l.FS, p)
}

func (o *overlays) parse(f *sourceFile, src string, caps *ast.Capabilities) {
	m, errs := parsePolicy(f.name, src, caps)
	for _, e := range errs {
		e.Layer = o.names[f.layer]
		o.errs = append(o.errs, e)
	}
	if m != nil {
		f.module = m
		o.files = append(o.files, f)
	}
}

// ParsePolicy parses a policy file with its METADATA; a byte order mark is passed
// over. The errors have no Layer, and there is either a module or an error.
func ParsePolicy(name, src string) (*ast.Module, PolicyErrors) {
	return parsePolicy(name, src, ast.CapabilitiesForThisVersion())
}

func parsePolicy(name, src string, caps *ast.Capabilities) (*ast.Module, PolicyErrors) {
	src = strings.TrimPrefix(src, "\ufeff") // behind a byte order mark METADATA would not begin a line
	opts := ast.ParserOptions{Capabilities: caps, ProcessAnnotation: true, RegoVersion: ast.RegoV1}
	m, err := ast.ParseModuleWithOpts(name, src, opts)
	if err != nil {
		return nil, parseErrors(name, src, err)
	}
	return m, nil
}

// parseErrors explains why a file does not parse; Rego v0 is recognised, because
// much of what is written about OPA still shows it.
func parseErrors(name, src string, err error) PolicyErrors {
	errs := fromOPA(err, func(string) string { return "" })
	for _, e := range errs {
		e.File, e.Kind = name, KindParse
		if e.Hint == "" {
			e.Hint = "correct that line; `stophook check` tells what else is wrong"
		}
	}
	if m, v0 := ast.ParseModuleWithOpts(name, src, ast.ParserOptions{RegoVersion: ast.RegoV0}); v0 == nil && !namesKeyword(m) {
		e := errs[0]
		e.Kind = KindRegoV0
		e.Message = "this file is written in Rego v0, and Rego v1 is needed: " + e.Message
		e.Hint = "v1 has `if` before the body of a rule and `contains` in rules that make sets: `demand contains {\"text\": \"...\"} if { ... }`; `stophook fmt -w --rego-v1 " + name + "` migrates"
		return errs[:1]
	}
	return errs
}

// namesKeyword reports whether a module uses a word of v1 as a variable, as v0 lets
// it: then the file is v1 with a fault.
func namesKeyword(m *ast.Module) (found bool) {
	ast.WalkVars(m, func(v ast.Var) bool {
		found = found || v == "if" || v == "contains" || v == "in" || v == "every"
		return found
	})
	return found
}

// claim finds out whose package a file is in. Nobody may add to a package of a
// higher layer: in Rego that could contradict it and so switch it off.
func (o *overlays) claim(f *sourceFile) {
	p := f.module.Package
	parts := packageParts(p.Path)
	switch {
	case parts[0] != "stophook":
		o.claimHelper(f, parts)
		return
	case o.main && isMain(parts):
		return
	}
	if len(parts) != 3 || (parts[1] != "rules" && parts[1] != "deferrals") || !goodName(parts[2]) {
		o.fail(KindPackage, f, p.Location, "a rule is package stophook.rules.NAME and a deferral package stophook.deferrals.NAME, with a NAME of lower-case letters, digits and _; helpers are in packages outside stophook",
			"package %s is not open to policies", strings.Join(parts, "."))
		return
	}
	f.kind, f.rule = rulePackage, parts[2]
	if parts[1] == "deferrals" {
		f.kind = deferralPackage
	}
	first, ok := o.rules[f.rule]
	if !ok {
		o.rules[f.rule] = f
		return
	}
	if first.layer != f.layer || first.kind != f.kind {
		o.fail(KindPackageCollision, f, p.Location, "give it another name; a layer can add rules and never change those of a layer above",
			"%s is already defined in %s (layer %s)", f.rule, first.name, o.names[first.layer])
		f.kind = helperPackage // keep its METADATA out of the other's way
	}
}

func (o *overlays) claimHelper(f *sourceFile, parts []string) {
	for _, g := range o.files {
		if g.layer >= f.layer {
			continue
		}
		other := packageParts(g.module.Package.Path)
		n := min(len(other), len(parts))
		if slices.Equal(other[:n], parts[:n]) {
			o.fail(KindPackageCollision, f, f.module.Package.Location, "use a package that begins with another name",
				"package %s overlaps with %s of %s (layer %s)", strings.Join(parts, "."), strings.Join(other, "."), g.name, o.names[g.layer])
			return
		}
	}
}

// packageParts gives the parts of a package path without the leading data.
func packageParts(ref ast.Ref) []string {
	parts := make([]string, 0, len(ref))
	for _, t := range ref[1:] {
		s, _ := t.Value.(ast.String)
		parts = append(parts, string(s))
	}
	return parts
}

func goodName(s string) bool {
	for i, c := range s {
		if (c < 'a' || c > 'z') && c != '_' && (c < '0' || c > '9' || i == 0) {
			return false
		}
	}
	return s != ""
}

// readMeta reads the METADATA of every rule that these layers define.
func (o *overlays) readMeta() {
	for _, f := range o.files {
		if f.kind == helperPackage || o.rules[f.rule] != f {
			continue
		}
		m := &RuleMeta{Name: f.rule, Deferral: f.kind == deferralPackage, Layer: f.layer, LayerName: o.names[f.layer], File: f.name, Line: f.module.Package.Location.Row}
		a, from, err := o.packageAnnotation(f)
		if from != nil {
			m.File, m.Line = from.name, from.module.Package.Location.Row
		} else {
			from = f
		}
		loc := &ast.Location{File: m.File, Row: m.Line}
		var faults metaFaults
		switch {
		case err != nil:
			o.fail(KindMetadataTwice, from, loc, metaHint, "%v", err)
		case a == nil:
			faults = newRuleMeta(m, nil)
			o.fail(KindMetadataMissing, from, loc, metaHint, "%v", faults)
		default:
			faults = newRuleMeta(m, a)
			for _, fault := range faults {
				o.fail(KindMetadataInvalid, from, loc, metaHint, "%v", fault).Key = fault.key
			}
		}
		if len(m.Codes) > 0 || err == nil && len(faults) == 0 {
			o.metas = append(o.metas, m)
		}
	}
}

// packageAnnotation finds the one METADATA block for the package of f, in any of
// the rule's files.
func (o *overlays) packageAnnotation(f *sourceFile) (found *ast.Annotations, from *sourceFile, err error) {
	for _, g := range o.files {
		if g.rule != f.rule || g.kind != f.kind || g.layer != f.layer {
			continue
		}
		for _, a := range g.module.Annotations {
			if a.Scope != "package" {
				continue
			}
			if found != nil {
				return found, from, errors.New(f.rule + " has METADATA for its package twice, here and in " + g.name)
			}
			found, from = a, g
		}
	}
	return found, from, nil
}
