package policy

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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

// DefaultLayers lists the standard policy folders that exist, the highest first:
// organisation, user ($XDG_CONFIG_HOME or ~/.config) and project. An empty home or
// project leaves its layer out.
func DefaultLayers(getenv func(string) string, home, project string) []Layer {
	var layers []Layer
	add := func(name, dir string) {
		if st, err := os.Stat(dir); err == nil && st.IsDir() {
			layers = append(layers, Layer{Name: name, FS: os.DirFS(dir), Root: dir})
		}
	}
	add(LayerOrg, "/etc/stophook/policies")
	config := getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(config) && home != "" {
		config = filepath.Join(home, ".config")
	}
	if config != "" {
		add(LayerUser, filepath.Join(config, "stophook", "policies"))
	}
	if project != "" {
		add(LayerProject, filepath.Join(project, ".stophook", "policies"))
	}
	return layers
}

// FlagLayers are the folders of --policy. One that was named and is missing is an
// error: a gate that was asked for must not be lost by a typing mistake. Those
// before it come back with the error.
func FlagLayers(dirs []string) ([]Layer, error) {
	var layers []Layer
	for _, dir := range dirs {
		switch st, err := os.Stat(dir); {
		case errors.Is(err, fs.ErrNotExist):
			return layers, fmt.Errorf("%s: there is no such policy folder; correct --policy in the hook's command", dir)
		case err != nil:
			return layers, fmt.Errorf("%s: the policy folder cannot be read: %w", dir, err)
		case !st.IsDir():
			return layers, fmt.Errorf("%s: --policy takes a folder of rules, this is a file; name its folder", dir)
		}
		layers = append(layers, Layer{Name: LayerFlag, FS: os.DirFS(dir), Root: dir})
	}
	return layers, nil
}
