package policy

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func noEnv(string) string { return "" }

func folders(t *testing.T, dirs ...string) {
	t.Helper()
	for _, dir := range dirs {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFindLayers(t *testing.T) {
	home, project, extra := t.TempDir(), t.TempDir(), t.TempDir()
	user, own := filepath.Join(home, ".config", "stophook", "policies"), filepath.Join(project, ".stophook", "policies")
	folders(t, user, own)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(own, link); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		reason string
		home   string
		proj   string
		flags  []string
		want   []string
	}{
		{"user above project above --policy", home, project, []string{extra}, []string{user, own, extra}},
		{"no home and no project", "", "", []string{extra}, []string{extra}},
		{"the project's own folder named as well counts once, where it is higher", home, project, []string{own, link, extra}, []string{user, own, extra}},
		{"the same folder twice", "", "", []string{extra, extra + "/"}, []string{extra}},
	} {
		layers, err := FindLayers(noEnv, tt.home, tt.proj, tt.flags)
		if err != nil {
			t.Errorf("%s: %v", tt.reason, err)
		}
		var roots []string
		for _, l := range layers {
			if l.Name != LayerOrg { // a machine may have one
				roots = append(roots, l.Root)
			}
		}
		if !slices.Equal(roots, tt.want) {
			t.Errorf("%s: %q, want %q", tt.reason, roots, tt.want)
		}
	}
}

// A folder that was named and is not there is told; what stands before it stays,
// so that a failing gate still knows the higher layers.
func TestFindLayers_Missing(t *testing.T) {
	home := t.TempDir()
	user := filepath.Join(home, ".config", "stophook", "policies")
	file := filepath.Join(home, "rules.rego")
	folders(t, user)
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{filepath.Join(home, "nope"): "no such policy folder", file: "this is a file"} {
		layers, err := FindLayers(noEnv, home, "", []string{dir})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v", dir, err)
		}
		if !slices.ContainsFunc(layers, func(l Layer) bool { return l.Root == user }) {
			t.Errorf("%s: the user's layer is lost", dir)
		}
	}
}

func TestProjectDir(t *testing.T) {
	project := t.TempDir()
	deep := filepath.Join(project, "a", "b")
	folders(t, filepath.Join(project, ".stophook"), deep)
	lone := t.TempDir()
	for _, tt := range []struct{ reason, env, dir, want string }{
		{"the host's word", "/elsewhere", deep, "/elsewhere"},
		{"the nearest folder above that has .stophook", "", deep, project},
		{"none has", "", lone, lone},
		{"not absolute", "", "here", "here"},
	} {
		got := ProjectDir(func(name string) string {
			if name == "CLAUDE_PROJECT_DIR" {
				return tt.env
			}
			return ""
		}, filepath.Dir(lone), tt.dir)
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.reason, got, tt.want)
		}
	}
}
