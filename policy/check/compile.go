package check

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/util"

	"github.com/stophook/stophook/policy"
	"github.com/stophook/stophook/policy/schema"
)

// maxRounds bounds how often the policies are compiled. Each round but the last
// takes at least one rule or file out.
const maxRounds = 64

// compile lets OPA compile all files, tests included, with the input schema. The
// compiler stops at the first stage that finds faults, so every rule that has one
// is replaced by an empty one of the same name, and the rest is compiled again.
func (c *checker) compile(layers []string) {
	modules := map[string]*ast.Module{}
	for _, f := range c.files {
		if f.module != nil {
			modules[f.name] = f.module
		}
	}
	schemas := c.schemas()
	for range maxRounds {
		compiler := newCompiler(schemas)
		if compiler.Compile(modules); !compiler.Failed() {
			c.compiled(compiler.Modules)
			break
		}
		progress := false
		for _, e := range compiler.Errors {
			progress = c.compileError(modules, e) || progress
		}
		if !progress {
			return
		}
	}
	for _, x := range c.findings {
		if x.Severity == SeverityError {
			return
		}
	}
	c.lint(modules, schemas)
	c.asHook()
}

func newCompiler(schemas *ast.SchemaSet) *ast.Compiler {
	caps := ast.CapabilitiesForThisVersion()
	caps.AllowNet = []string{}
	return ast.NewCompiler().SetErrorLimit(0).WithCapabilities(caps).WithEnablePrintStatements(true).
		WithSchemas(schemas).WithUseTypeCheckAnnotations(true)
}

// schemas are those that METADATA can name: schema.input is the input document,
// and others lie in a folder named schemas beside the policies.
func (c *checker) schemas() *ast.SchemaSet {
	set := ast.NewSchemaSet()
	for i := range c.targets {
		dir := filepath.Join(filepath.FromSlash(c.targets[i].Root), "schemas")
		paths, _ := filepath.Glob(filepath.Join(dir, "*.json"))
		for _, p := range paths {
			text, err := os.ReadFile(p)
			var doc any
			if err == nil && util.UnmarshalJSON(text, &doc) == nil {
				name := strings.TrimSuffix(filepath.Base(p), ".json")
				set.Put(ast.SchemaRootRef.Append(ast.StringTerm(name)), doc)
			}
		}
	}
	text, err := schema.Get("input")
	var doc any
	if err == nil && json.Unmarshal(text, &doc) == nil {
		set.Put(ast.SchemaRootRef, doc)
		set.Put(ast.SchemaRootRef.Append(ast.StringTerm("input")), doc)
	}
	return set
}

// compileError reports what the compiler found, and takes the rule at fault out of
// the modules. It reports false when nothing could be taken out.
func (c *checker) compileError(modules map[string]*ast.Module, e *ast.Error) bool {
	if e.Location == nil || c.byName[e.Location.File] == nil {
		return false
	}
	f := c.byName[e.Location.File]
	if !strings.HasPrefix(e.Message, "package annotation redeclared") || !c.hasError(policy.KindMetadataTwice) && !c.hasError(policy.KindPackageCollision) {
		c.compileFinding(f, e)
	}
	m := modules[f.name]
	if m == nil {
		return false
	}
	for i, r := range m.Rules {
		from, to := rows(m, i)
		if e.Location.Row < from || e.Location.Row > to || hollow(r) {
			continue
		}
		m = m.Copy()
		m.Rules[i] = hollowed(r, m)
		modules[f.name] = m
		return true
	}
	delete(modules, f.name)
	return true
}

func (c *checker) hasError(kind string) bool {
	return slices.ContainsFunc(c.findings, func(x Finding) bool { return x.Kind == kind })
}

// rows are the lines that a rule takes: up to the next rule.
func rows(m *ast.Module, i int) (from, to int) {
	from, to = m.Rules[i].Location.Row, 1<<30
	for _, r := range m.Rules {
		if r.Location.Row > from && r.Location.Row-1 < to {
			to = r.Location.Row - 1
		}
	}
	return from, to
}

// anything is a value of which the type checker knows nothing.
func anything() *ast.Term {
	return ast.RefTerm(ast.DefaultRootDocument, ast.StringTerm("stophook"), ast.StringTerm("known"))
}

// hollowed is a rule of the same name and kind that says nothing.
func hollowed(r *ast.Rule, m *ast.Module) *ast.Rule {
	head := *r.Head
	if head.Key != nil {
		head.Key = anything()
	}
	if head.Value != nil && (head.Key == nil || len(head.Reference) > 1) {
		head.Value = anything()
	}
	if r.Default {
		head.Value = ast.NullTerm()
	}
	head.Args = make(ast.Args, len(r.Head.Args))
	for i := range head.Args {
		head.Args[i] = ast.VarTerm("_")
	}
	for i, t := range head.Reference {
		if i > 0 && !ast.IsConstant(t.Value) {
			head.Reference = append(ast.Ref{}, head.Reference[:i]...)
			break
		}
	}
	return &ast.Rule{Location: r.Location, Default: r.Default, Head: &head, Body: ast.NewBody(ast.NewExpr(ast.BooleanTerm(true))), Module: m}
}

// hollow reports whether a rule was replaced already.
func hollow(r *ast.Rule) bool {
	if r.Else != nil || len(r.Body) != 1 || r.Body[0].Location != nil {
		return false
	}
	return r.Head.Value == nil || r.Head.Value.Location == nil
}

func (c *checker) compileFinding(f *file, e *ast.Error) {
	p := policy.ErrorsOf(ast.Errors{e}, "")[0]
	p.Message = p.Message[strings.Index(p.Message, ": ")+2:]
	switch d := e.Details.(type) {
	case *ast.RefErrInvalidDetail:
		if d.Pos < len(d.Ref) {
			name := strings.Trim(d.Ref[d.Pos].String(), `"`)
			if c.told[fieldKey(f.name, p.Line, name)] {
				return
			}
			var list []string
			for _, v := range d.OneOf {
				list = append(list, strings.Trim(v.String(), `"`))
			}
			p.Message, p.Hint = "there is no "+d.Ref.String(), suggest(name, list, "")
			if d.Ref.HasPrefix(ast.InputRootRef) {
				p.Kind = KindInputField
			}
		}
	case *ast.UnificationErrDetail, *ast.RefErrUnsupportedDetail, *ast.ArgErrDetail:
		p.Message += ": " + details(e.Details)
	}
	switch {
	case p.Kind == policy.KindUnsafe && f.lost(unsafeName(p.Message)):
		return // its definition does not parse, which was told
	case p.Kind == policy.KindFunction:
		name := strings.TrimPrefix(p.Message, "undefined function ")
		if c.told[fieldKey(f.name, p.Line, strings.TrimPrefix(name, "data."))] || f.lost(name[strings.LastIndexByte(name, '.')+1:]) {
			return
		}
		p.Hint = suggest(name, builtinNames(), "")
		if !strings.HasPrefix(p.Hint, "did you") {
			p.Hint = "check the spelling, and that the package is imported"
		}
	}
	c.addError(f, p)
}

// unsafeName is the variable of "var x is unsafe".
func unsafeName(message string) string {
	_, rest, _ := strings.Cut(message, "var ")
	name, _, _ := strings.Cut(rest, " ")
	return name
}

func details(d ast.ErrorDetails) string {
	var parts []string
	for _, l := range d.Lines() {
		if l = strings.Join(strings.Fields(l), " "); l != "" {
			parts = append(parts, l)
		}
	}
	return strings.ReplaceAll(strings.Join(parts, ", "), " :", ":")
}

func builtinNames() []string {
	var list []string
	for _, b := range ast.Builtins {
		if policy.Forbidden(b.Name) == "" {
			list = append(list, b.Name)
		}
	}
	return list
}

// compiled looks at what only shows in compiled modules.
func (c *checker) compiled(modules map[string]*ast.Module) {
	for _, e := range c.inspect.CheckRefs(modules) {
		if f := c.byName[e.File]; f != nil && !c.opts.Builtin && e.Line != f.module.Package.Location.Row {
			c.addError(f, e)
		}
	}
}

// lint reports what OPA's strict mode finds; the hook does not mind it.
func (c *checker) lint(modules map[string]*ast.Module, schemas *ast.SchemaSet) {
	for _, skip := range [][]ast.StageID{nil, {ast.StageCheckUnusedImports, ast.StageCheckDuplicateImports}} {
		compiler := newCompiler(schemas).WithStrict(true)
		if skip != nil {
			compiler = compiler.WithSkipStages(skip...)
		}
		compiler.Compile(modules)
		for _, e := range compiler.Errors {
			if e.Location == nil || c.byName[e.Location.File] == nil {
				continue
			}
			c.at(c.byName[e.Location.File], e.Location, Finding{Severity: SeverityWarning, Kind: KindLint, Message: e.Message,
				Hint: "remove it, or check its spelling; a name that begins with _ is not reported"})
		}
	}
}

// asHook loads the layers as the hook does. Whatever it refuses is an error here,
// even if no check of ours knows it.
func (c *checker) asHook() {
	if c.opts.Builtin {
		return
	}
	layers := make([]policy.Layer, len(c.targets))
	for i := range c.targets {
		layers[i] = c.targets[i].Layer
	}
	for _, event := range []string{"Stop", "PreToolUse"} {
		_, err := policy.NewEngine(context.Background(), policy.EngineOptions{Layers: layers, Event: event})
		var errs policy.PolicyErrors
		if !errors.As(err, &errs) {
			continue
		}
		for _, e := range errs {
			if f := c.byName[e.File]; f != nil {
				c.addError(f, e)
			}
		}
	}
}
