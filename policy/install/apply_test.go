package install_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stophook/stophook/policy/install"
)

func TestApply_keepsModeAndLink(t *testing.T) {
	env := place(t)
	path := settingsPath(env)
	target := filepath.Join(env.Home, "dotfiles", "claude.json")
	put(t, target, "{}")
	if err := os.Chmod(target, 0o640); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(filepath.Dir(path), "x"), "")
	if err := os.Symlink("../dotfiles/claude.json", path); err != nil {
		t.Fatal(err)
	}
	c := plan(t, claude(env))
	if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link is gone")
	}
	if info, err := os.Stat(target); err != nil || info.Mode().Perm() != 0o640 || !strings.Contains(get(t, target), "stophook") {
		t.Errorf("the target is %v", info.Mode())
	}
	if c.Target != target || c.Backup != path+".stophook-backup" || get(t, c.Backup) != "{}" {
		t.Errorf("target %s, backup %s", c.Target, c.Backup)
	}
	remove(t, claude(env))
	same(t, "through the link", "{}", get(t, target))
}

// A link to a file that is not there yet is followed, too.
func TestApply_danglingLink(t *testing.T) {
	env := place(t)
	path := settingsPath(env)
	put(t, filepath.Join(filepath.Dir(path), "x"), "")
	target := filepath.Join(env.Home, "dotfiles", "new.json")
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
	plan(t, claude(env))
	if !strings.Contains(get(t, target), "stophook") {
		t.Error("the target was not made")
	}
	if err := os.Symlink(path, filepath.Join(env.Home, "loop")); err != nil {
		t.Fatal(err)
	}
	os.Remove(path)
	if err := os.Symlink(filepath.Join(env.Home, "loop"), path); err != nil {
		t.Fatal(err)
	}
	if _, err := install.Plan(claude(env)); err == nil || !strings.Contains(err.Error(), "leads to itself") {
		t.Errorf("a loop of links: %v", err)
	}
}

func TestApply_changedMeanwhile(t *testing.T) {
	for reason, meddle := range map[string]func(path string){
		"changed": func(path string) { os.WriteFile(path, []byte("{\"new\": 1}"), 0o600) },
		"removed": func(path string) { os.Remove(path) },
	} {
		env := place(t)
		path := settingsPath(env)
		put(t, path, "{}")
		c, err := install.Plan(claude(env))
		if err != nil {
			t.Fatal(err)
		}
		meddle(path)
		now := get(t, path)
		if err := c.Apply(); !errors.Is(err, install.ErrChanged) {
			t.Errorf("%s: %v", reason, err)
		}
		same(t, reason, now, get(t, path))
	}
	env := place(t)
	c, err := install.Plan(claude(env))
	if err != nil {
		t.Fatal(err)
	}
	put(t, settingsPath(env), "{}")
	if err := c.Apply(); !errors.Is(err, install.ErrChanged) {
		t.Errorf("a file that was made meanwhile: %v", err)
	}
}

func TestApply_folderInTheWay(t *testing.T) {
	env := place(t)
	if err := os.MkdirAll(settingsPath(env), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := install.Plan(claude(env)); !errors.Is(err, install.ErrUnreadable) || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("a folder: %v", err)
	}
	put(t, filepath.Join(env.Project, ".claude"), "a file where the folder should be")
	opts := claude(env)
	opts.Scope = install.ScopeProject
	if _, err := install.Plan(opts); !errors.Is(err, install.ErrUnreadable) {
		t.Errorf("a file in place of the folder: %v", err)
	}
}

// A backup of an earlier life must not be taken for what was before this one.
func TestApply_staleBackup(t *testing.T) {
	env := place(t)
	path := settingsPath(env)
	put(t, path+".stophook-backup", "{\"old\": true}")
	plan(t, claude(env))
	remove(t, claude(env))
	same(t, "no file before, none after", "<none>", get(t, path))

	put(t, path+".stophook-backup", "{\"hooks\": {\"Stop\": []}}")
	put(t, path, "{\"a\": 1}")
	plan(t, claude(env))
	same(t, "the new backup", "{\"a\": 1}", get(t, path+".stophook-backup"))
}

// What cannot be saved is not changed.
func TestApply_noBackup(t *testing.T) {
	env := place(t)
	path := settingsPath(env)
	put(t, path, "{}")
	put(t, filepath.Join(path+".stophook-backup", "in the way"), "")
	c, err := install.Plan(claude(env))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Apply(); err == nil || !strings.Contains(err.Error(), "so they stay as they are") {
		t.Errorf("no backup could be written: %v", err)
	}
	same(t, "no backup", "{}", get(t, path))
	if names := beside(t, path); names != "settings.json settings.json.stophook-backup" {
		t.Errorf("left behind: %s", names)
	}
}

func TestApply_readOnlyFolder(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root writes everywhere")
	}
	env := place(t)
	path := settingsPath(env)
	put(t, path, "{}")
	if err := os.Chmod(filepath.Dir(path), 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(filepath.Dir(path), 0o700) })
	c, err := install.Plan(claude(env))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Apply(); err == nil || !strings.Contains(err.Error(), "make the folder writable") {
		t.Errorf("a folder that cannot be written: %v", err)
	}
	same(t, "read-only", "{}", get(t, path))
}
