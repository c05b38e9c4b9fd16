package policytest

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// findHelpers looks beside a rule folder for packages that its policies ask for.
func (t *target) findHelpers() error {
	direct := slices.ContainsFunc(t.tree.paths(false), func(p string) bool { return !strings.Contains(p, "/") })
	if !direct || len(t.missing(t.tree.files)) == 0 {
		return nil
	}
	up, name, ok := parent(t.tree.root)
	if !ok {
		return nil
	}
	beside := helperFiles(up, name)
	files := map[string]*regoFile{}
	for p, f := range t.tree.files {
		moved := &regoFile{name: path.Join(filepath.ToSlash(up), name, p), test: f.test, src: f.src}
		moved.parse()
		files[path.Join(name, p)] = moved
	}
	found := false
	for again := true; again; {
		again = false
		for _, need := range t.missing(files) {
			for p, f := range beside {
				if files[p] == nil && overlaps(packageName(f.module), need) {
					files[p], again, found = f, true, true
					t.notes = append(t.notes, fmt.Sprintf("%s is read too: %s asks for package %s", f.name, t.dir, packageName(f.module)))
				}
			}
		}
	}
	if !found {
		return nil
	}
	slices.Sort(t.notes)
	for i, c := range t.tree.cases {
		t.tree.cases[i] = path.Join(name, c)
	}
	t.tree.root, t.tree.files, t.scope = filepath.ToSlash(up), files, path.Join(name, t.scope)
	return nil
}

// helperFiles are the policies in a folder and in the folders directly below it,
// but for the one called name. What does not parse is no helper.
func helperFiles(up, name string) map[string]*regoFile {
	found := map[string]*regoFile{}
	for _, pattern := range []string{"*.rego", "*/*.rego"} {
		list, err := fs.Glob(os.DirFS(up), pattern)
		if err != nil {
			continue
		}
		beside := &tree{root: filepath.ToSlash(up), files: found}
		for _, p := range list {
			if isTest(p) || within(p, name) || strings.HasPrefix(p, ".") {
				continue
			}
			if beside.read(p) != nil || found[p].module == nil {
				delete(found, p)
			}
		}
	}
	return found
}

// missing are the packages, or documents, that policies name and nobody defines.
func (t *target) missing(files map[string]*regoFile) []string {
	defined := append(slices.Clone(t.own), aggregator)
	for _, f := range files {
		if !f.test && f.module != nil {
			defined = append(defined, packageName(f.module))
		}
	}
	var list []string
	for _, f := range files {
		if f.test || f.module == nil {
			continue
		}
		ast.WalkRefs(f.module, func(ref ast.Ref) bool {
			name := strings.TrimPrefix(ref.GroundPrefix().String(), "data.")
			if !ref[0].Equal(ast.DefaultRootDocument) || len(ref) < 2 || slices.Contains(list, name) {
				return false
			}
			if !slices.ContainsFunc(defined, func(p string) bool { return overlaps(p, name) }) {
				list = append(list, name)
			}
			return false
		})
	}
	slices.Sort(list)
	return list
}

// overlaps reports whether one dotted name begins with the other.
func overlaps(a, b string) bool {
	return a == b || strings.HasPrefix(a, b+".") || strings.HasPrefix(b, a+".")
}
