package policytest

import (
	"fmt"
	"io/fs"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/stophook/stophook/rego"
)

// builtinModules are the built-in policies as tests see them.
func builtinModules() (map[string]*ast.Module, error) {
	modules := map[string]*ast.Module{}
	err := fs.WalkDir(rego.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		src, err := fs.ReadFile(rego.FS(), p)
		if err != nil {
			return err
		}
		name := "built-in/" + p // no file of an author can have this name by chance
		modules[name], err = ast.ParseModuleWithOpts(name, string(src), ast.ParserOptions{ProcessAnnotation: true, RegoVersion: ast.RegoV1})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("built-in policies: %w", err)
	}
	return modules, nil
}

// builtinPackages are the packages of the built-in rules and deferrals, without
// the aggregator. Nil when they cannot be read, which a test of ours would find.
func builtinPackages() []string {
	modules, err := builtinModules()
	if err != nil {
		return nil
	}
	var list []string
	for _, m := range modules {
		if name := packageName(m); name != aggregator {
			list = append(list, name)
		}
	}
	return list
}
