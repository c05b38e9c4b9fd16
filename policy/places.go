package policy

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// ProjectDir is where project policies and configuration are looked for: the
// host's word ($CLAUDE_PROJECT_DIR), else the nearest folder from dir upwards
// that has a .stophook folder, because the agent's shell may stand anywhere in
// the project, else dir itself. A dir that is not absolute is returned as it is.
// The search ends at home.
func ProjectDir(getenv func(string) string, home, dir string) string {
	if project := getenv("CLAUDE_PROJECT_DIR"); project != "" {
		return project
	}
	for at := dir; filepath.IsAbs(at); at = filepath.Dir(at) {
		if st, err := os.Stat(filepath.Join(at, ".stophook")); err == nil && st.IsDir() {
			return at
		}
		if at == home || at == filepath.Dir(at) {
			break
		}
	}
	return dir
}

// FindLayers lists the policy folders in force, the highest first: organisation,
// user ($XDG_CONFIG_HOME or ~/.config) and project where they exist, then those of
// --policy. An empty home or project leaves its layer out. A folder that is there
// twice counts once, in the highest place: `--policy .stophook/policies` names the
// project's own.
//
// One of --policy that is missing is an error: a gate that was asked for must not
// be lost by a typing mistake. The layers before it come back with the error.
func FindLayers(getenv func(string) string, home, project string, flags []string) ([]Layer, error) {
	var f finder
	f.standard(LayerOrg, "/etc/stophook/policies")
	config := getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(config) && home != "" {
		config = filepath.Join(home, ".config")
	}
	if config != "" {
		f.standard(LayerUser, filepath.Join(config, "stophook", "policies"))
	}
	if project != "" {
		f.standard(LayerProject, filepath.Join(project, ".stophook", "policies"))
	}
	for _, dir := range flags {
		switch st, err := os.Stat(dir); {
		case errors.Is(err, fs.ErrNotExist):
			return f.layers, fmt.Errorf("%s: there is no such policy folder; correct --policy", dir)
		case err != nil:
			return f.layers, fmt.Errorf("%s: the policy folder cannot be read: %w", dir, err)
		case !st.IsDir():
			return f.layers, fmt.Errorf("%s: --policy takes a folder of rules, this is a file; name its folder", dir)
		default:
			f.add(LayerFlag, dir, st)
		}
	}
	return f.layers, nil
}

// finder collects layers and knows their folders.
type finder struct {
	layers []Layer
	stats  []fs.FileInfo
}

// standard adds a folder that may be missing.
func (f *finder) standard(name, dir string) {
	if st, err := os.Stat(dir); err == nil && st.IsDir() {
		f.add(name, dir, st)
	}
}

func (f *finder) add(name, dir string, st fs.FileInfo) {
	if slices.ContainsFunc(f.stats, func(other fs.FileInfo) bool { return os.SameFile(st, other) }) {
		return
	}
	f.stats = append(f.stats, st)
	f.layers = append(f.layers, Layer{Name: name, FS: os.DirFS(dir), Root: dir})
}
