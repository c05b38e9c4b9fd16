package tool

import (
	"os"
	"path/filepath"
	"testing"
)

// realDir is a temporary folder by its real name.
func realDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// writeFiles makes files below a folder, each with its name as content.
func writeFiles(t testing.TB, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
