package policy

import (
	"fmt"
	"io/fs"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"

	"github.com/stophook/stophook/rego"
)

// mainFile is the file of the aggregator, as messages name it.
const mainFile = "rego/main/main.rego"

// loadBuiltin gives the METADATA of all built-in rules and the compiled modules
// of the aggregator and of those rules that are wanted.
func loadBuiltin(want func(*RuleMeta) bool, fromSources bool) ([]*RuleMeta, map[string]*ast.Module, error) {
	wanted := func(metas []*RuleMeta, file string) bool {
		return file == mainFile || slices.ContainsFunc(metas, func(m *RuleMeta) bool { return m.File == file && want(m) })
	}
	if !fromSources {
		if metas, modules, err := decodeCompiled(rego.Compiled(), rego.Sum(), wanted); err == nil {
			return metas, modules, nil
		}
	}
	metas, modules, err := compileBuiltin()
	if err != nil {
		return nil, nil, err
	}
	for file := range modules {
		if !wanted(metas, file) {
			delete(modules, file)
		}
	}
	return metas, modules, nil
}

// compileBuiltin compiles the built-in layer from its sources, with every check.
func compileBuiltin() ([]*RuleMeta, map[string]*ast.Module, error) {
	var metas []*RuleMeta
	parsed := map[string]*ast.Module{}
	err := fs.WalkDir(rego.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		src, err := fs.ReadFile(rego.FS(), p)
		if err != nil {
			return err
		}
		file := "rego/" + p
		m, err := ast.ParseModuleWithOpts(file, string(src), ast.ParserOptions{ProcessAnnotation: true, RegoVersion: ast.RegoV1})
		if err != nil {
			return err
		}
		parsed[file] = m
		parts := packageParts(m.Package.Path)
		if len(parts) != 3 {
			return nil // the aggregator
		}
		meta := &RuleMeta{Name: parts[2], Deferral: parts[1] == "deferrals", LayerName: LayerBuiltin, File: file, Line: m.Package.Location.Row}
		var a *ast.Annotations
		if len(m.Annotations) > 0 {
			a = m.Annotations[0]
		}
		metas = append(metas, meta)
		if faults := newRuleMeta(meta, a); len(faults) > 0 {
			return faults
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	c := ast.NewCompiler().WithCapabilities(allowedCapabilities())
	if c.Compile(parsed); c.Failed() {
		return nil, nil, c.Errors
	}
	return metas, c.Modules, nil
}

// compile puts the engine's compiler together. The built-in modules come
// compiled; overlays go through every stage of the compiler, on their own: they
// share no package with the built-in layer and cannot name the aggregator
// ([overlays.checkRefs]), so nothing is left to check between the two. Only the
// indices are built over both.
func (e *Engine) compile(builtin map[string]*ast.Module, o *overlays) (*ast.Compiler, error) {
	if len(o.errs) > 0 {
		return nil, o.errs
	}
	parsed := e.selected(o)
	c := ast.NewCompiler().WithEnablePrintStatements(e.opts.Print != nil)
	c.WithStageAfterID(ast.StageCheckDeprecatedBuiltins, ast.CompilerStageDefinition{
		Name: "AddBuiltin", MetricName: "add_builtin",
		Stage: func(c *ast.Compiler) *ast.Error {
			for file, m := range builtin {
				c.Modules[file] = m
			}
			c.ModuleTree = ast.NewModuleTree(c.Modules)
			c.RuleTree = ast.NewRuleTree(c.ModuleTree)
			return nil
		},
	})
	if len(parsed) == 0 {
		c.WithCapabilities(&ast.Capabilities{}).WithSkipStages(stagesForSources()...)
	} else {
		c.WithCapabilities(allowedCapabilities())
	}
	if c.Compile(parsed); c.Failed() {
		return nil, fromOPA(c.Errors, e.layerOf)
	}
	if o.checkRefs(c.Modules); len(o.errs) > 0 {
		return nil, o.errs
	}
	return c, nil
}

// selected gives the overlay files that matter for the engine's event: helpers,
// and the rules that judge it.
func (e *Engine) selected(o *overlays) map[string]*ast.Module {
	parsed := map[string]*ast.Module{}
	for _, f := range o.files {
		if f.kind == helperPackage || e.wants(e.known[f.rule]) {
			parsed[f.name] = f.module
		}
	}
	return parsed
}

// stagesForSources are the stages that compiled modules do not need: all but the
// one that the modules are added after, and the rule indices.
func stagesForSources() []ast.StageID {
	return slices.DeleteFunc(ast.AllStages(), func(s ast.StageID) bool {
		return s == ast.StageCheckDeprecatedBuiltins || s == ast.StageBuildRuleIndices
	})
}

// data is what the policies find under data.stophook beside the rules.
func (e *Engine) data() storage.Store {
	var meta, deferrals, known [][2]*ast.Term
	for _, m := range e.rules {
		name := ast.StringTerm(m.Name)
		known = append(known, [2]*ast.Term{name, ast.StringTerm(m.LayerName)})
		switch {
		case !e.wants(m):
		case m.Deferral:
			deferrals = append(deferrals, [2]*ast.Term{name, m.term()})
		default:
			meta = append(meta, [2]*ast.Term{name, m.term()})
		}
	}
	root := ast.NewObject([2]*ast.Term{ast.StringTerm("stophook"), ast.ObjectTerm(
		[2]*ast.Term{ast.StringTerm("meta"), ast.ObjectTerm(meta...)},
		[2]*ast.Term{ast.StringTerm("deferral_meta"), ast.ObjectTerm(deferrals...)},
		[2]*ast.Term{ast.StringTerm("known"), ast.ObjectTerm(known...)},
		[2]*ast.Term{ast.StringTerm("warnings"), ast.ArrayTerm(e.warnings()...)},
	)})
	return inmem.NewFromASTObject(root)
}

// warnings are the faults that do not stop an engine: settings for rules that do not exist.
func (e *Engine) warnings() []*ast.Term {
	var names []string
	for name := range e.opts.RuleSettings {
		if e.known[name] == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	list := make([]*ast.Term, len(names))
	for i, name := range names {
		list[i] = ast.StringTerm(fmt.Sprintf("config: rules.%s: there is no rule or deferral of that name", name))
	}
	return list
}
