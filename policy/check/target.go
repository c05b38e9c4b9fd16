package check

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stophook/stophook/policy"
)

// A Target is one layer to check.
type Target struct {
	policy.Layer
	// Only limits what is reported to the file or folder of this name below the
	// layer's root; the rest of the layer is context. Empty reports everything.
	Only string
	// Configs are configuration files beside the policies, checked where they exist.
	Configs []policy.Source
}

// ErrNoPolicies is wrapped when there is nothing to check.
var ErrNoPolicies = errors.New("no policy file found")

// Targets makes a layer out of each path: a folder of rules, the folder of a
// single rule, or a single .rego file. A path that does not exist is an error.
//
// The folder of one rule inside a folder named policies is checked with its
// neighbours as context, because it may use their helpers; so is a single file
// with its folder.
func Targets(paths []string) ([]Target, error) {
	var list []Target
	for _, p := range paths {
		st, err := os.Stat(p)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("%s: there is no such folder or file; name a folder of rules, such as .stophook/policies", p)
		case err != nil:
			return nil, fmt.Errorf("%s: cannot be read: %w", p, errors.Unwrap(err))
		case !st.IsDir() && filepath.Ext(p) != ".rego":
			return nil, fmt.Errorf("%s: is no .rego file; name a policy file or a folder of them", p)
		}
		list = append(list, target(filepath.Clean(p), st.IsDir()))
	}
	return list, nil
}

func target(p string, dir bool) Target {
	root, only := p, ""
	if !dir {
		root, only = filepath.Dir(p), filepath.Base(p)
	}
	if above := filepath.Dir(root); filepath.Base(above) == "policies" && above != root {
		only = filepath.ToSlash(filepath.Join(filepath.Base(root), only))
		root = above
	}
	t := FolderTarget(root, root)
	if !dir && root == filepath.Dir(p) {
		t.FS = flatFS{t.FS} // its neighbours, and not all that lies below them
	}
	if t.Only = only; only != "" {
		t.Configs = nil // who names one rule does not ask for the settings of all
	}
	return t
}

// flatFS is a tree without its folders.
type flatFS struct{ fs.FS }

// ReadDir lists the files of a folder.
func (f flatFS) ReadDir(name string) ([]fs.DirEntry, error) {
	list, err := fs.ReadDir(f.FS, name)
	return slices.DeleteFunc(list, fs.DirEntry.IsDir), err
}

// FolderTarget is the target for a folder that is there, as a layer of a name.
func FolderTarget(name, dir string) Target {
	t := Target{Layer: policy.Layer{Name: name, FS: os.DirFS(dir), Root: filepath.ToSlash(dir)}}
	files := []string{filepath.Join(dir, "config.yaml"), filepath.Join(dir, ".stophook", "config.yaml")}
	if full, err := filepath.Abs(dir); err == nil && filepath.Base(full) == "policies" {
		files = append(files, filepath.Join(filepath.Dir(dir), "config.yaml"))
	}
	for _, f := range files {
		if st, err := os.Stat(f); err == nil && !st.IsDir() {
			t.Configs = append(t.Configs, policy.Source{Layer: name, Path: f})
		}
	}
	return t
}

// reports tells whether a finding in a file of the target is wanted.
func (t *Target) reports(file string) bool {
	if t.Only == "" {
		return true
	}
	rest := strings.TrimPrefix(strings.TrimPrefix(file, strings.TrimSuffix(t.Root, "/")), "/")
	if t.Root == "." {
		rest = file
	}
	return rest == t.Only || strings.HasPrefix(rest, t.Only+"/")
}
