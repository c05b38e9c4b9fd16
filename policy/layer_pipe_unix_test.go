//go:build unix

package policy

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A pipe under the name of a policy is a fault with its place, and holds nobody.
func TestNewEngine_PipeIsNoPolicy(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mkfifo(filepath.Join(dir, "a.rego"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "a.rego"), filepath.Join(dir, "b.rego")); err != nil {
		t.Fatal(err)
	}
	_, err := NewEngine(context.Background(), EngineOptions{Layers: []Layer{{Name: "project", FS: os.DirFS(dir), Root: "rules"}}})
	for _, file := range []string{"rules/a.rego", "rules/b.rego"} {
		if err == nil || !strings.Contains(err.Error(), file+": cannot be read: is no regular file") {
			t.Errorf("%s: %v", file, err)
		}
	}
}
