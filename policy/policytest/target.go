package policytest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing/fstest"

	"github.com/stophook/stophook/policy"
)

const (
	// climb is how many folders up policies are looked for when a DIR has none: a
	// case is RULE/cases/NAME.
	climb = 3
	// aggregator is the package that only the built-in rules have.
	aggregator = "stophook.main"
)

// A target is one DIR: the policies that are in force, and which tests and cases
// run.
type target struct {
	dir     string // as it was named
	tree    *tree
	scope   string   // tests and cases at or below it run; below the tree's root
	builtin bool     // the policies are a copy of the built-in ones
	own     []string // packages of the built-in rules
	notes   []string
}

// resolve finds out what a DIR means; see the package's documentation.
func resolve(dir string) (*target, error) {
	st, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: there is no such file or folder; name a folder of policies, or leave DIR out to take .stophook/policies of the project", dir)
	case err != nil:
		return nil, err
	}
	t := &target{dir: filepath.ToSlash(dir), scope: ".", own: builtinPackages()}
	root := dir
	if !st.IsDir() {
		if !isTest(dir) {
			return nil, fmt.Errorf("%s: this file holds no tests; name a _test.rego file, or its folder", dir)
		}
		root, t.scope = filepath.Dir(dir), filepath.Base(dir)
	}
	if t.tree, err = readTree(root); err != nil {
		return t, err
	}
	if len(t.tree.paths(false)) == 0 {
		if err := t.climb(root); err != nil {
			return t, err
		}
	}
	if err := t.adoptBuiltin(); err != nil {
		return t, err
	}
	if err := t.findHelpers(); err != nil {
		return t, err
	}
	t.builtin = t.tree.packages()[aggregator]
	return t, nil
}

// climb looks for policies in the folders above a DIR that has none.
func (t *target) climb(root string) error {
	at, below := root, ""
	for range climb {
		up, name, ok := parent(at)
		if !ok {
			return nil
		}
		at, below = up, path.Join(name, below)
		if !hasRules(at, "*.rego") && (name != "cases" || !hasRules(at, "*/*.rego")) {
			continue // .rego files of other programs, and a folder above that is only a home or a place for temporary files
		}
		above, err := readTree(at)
		if err != nil {
			return err
		}
		if len(above.paths(false)) == 0 {
			continue
		}
		t.tree, t.scope = above, path.Join(below, t.scope)
		t.notes = append(t.notes, fmt.Sprintf("%s has no policies; those of %s are in force", t.dir, above.root))
		return nil
	}
	return nil
}

// hasRules reports whether files of a folder, by a pattern below it, are rules of
// ours. A project's root may have a folder called cases, too, and .rego files of
// other programs.
func hasRules(dir, pattern string) bool {
	found, _ := filepath.Glob(filepath.Join(escapeGlob(dir), filepath.FromSlash(pattern))) // the pattern is well formed
	return slices.ContainsFunc(found, func(name string) bool {
		st, err := os.Stat(name)
		if err != nil || !st.Mode().IsRegular() || isTest(name) {
			return false
		}
		src, err := os.ReadFile(name)
		return err == nil && bytes.Contains(src, []byte("package stophook."))
	})
}

// adoptBuiltin takes the folder above for a folder of one built-in rule, when that
// is a copy of the built-in rules: as a layer above them it could not load.
func (t *target) adoptBuiltin() error {
	packages := t.tree.packages()
	if packages[aggregator] || !slices.ContainsFunc(t.own, func(p string) bool { return packages[p] }) {
		return nil
	}
	up, name, ok := parent(t.tree.root)
	if !ok {
		return nil
	}
	above, err := readTree(up)
	if err != nil || !above.packages()[aggregator] {
		return nil // the engine says what is wrong with a rule of that name
	}
	for p, f := range above.files {
		if f.test && !within(p, name) {
			delete(above.files, p)
		}
	}
	above.cases = slices.DeleteFunc(above.cases, func(c string) bool { return !within(c, name) })
	t.tree, t.scope = above, path.Join(name, t.scope)
	return nil
}

// parent gives the folder above one, and the name of the one in it.
func parent(dir string) (up, name string, ok bool) {
	abs, err := filepath.Abs(dir)
	if err != nil || filepath.Dir(abs) == abs {
		return "", "", false
	}
	up = filepath.Dir(filepath.Clean(dir))
	if base := filepath.Base(filepath.Clean(dir)); base == "." || base == ".." {
		up = filepath.Join(dir, "..")
	}
	return up, filepath.Base(abs), true
}

// escapeGlob takes the meaning from the characters of a path that have one.
func escapeGlob(p string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(p)
}

// layer is the policies as the engine takes them.
func (t *target) layer() []policy.Layer {
	if t.builtin || len(t.tree.paths(false)) == 0 {
		return nil
	}
	files := fstest.MapFS{}
	for _, p := range t.tree.paths(false) {
		files[p] = &fstest.MapFile{Data: t.tree.files[p].src, Mode: 0o444}
	}
	return []policy.Layer{{Name: policy.LayerProject, FS: files, Root: t.tree.root}}
}

// cases are the folders of the cases that run, below the tree's root.
func (t *target) cases() []string {
	var list []string
	for _, c := range t.tree.cases {
		if within(c, t.scope) {
			list = append(list, c)
		}
	}
	slices.Sort(list)
	return list
}

// rulesOf are the rules that a case is about: those of the nearest folder around
// it that has policies, else all that are under test.
func (t *target) rulesOf(caseDir string) []string {
	for dir := caseDir; ; dir = path.Dir(dir) {
		var names []string
		direct := false
		for _, p := range t.tree.paths(false) {
			if m := t.tree.files[p].module; m != nil && within(p, dir) {
				names = append(names, ruleName(m))
				direct = direct || path.Dir(p) == dir
			}
		}
		if direct || dir == "." {
			return names
		}
	}
}
