//go:build unix

package tool

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe would block who opens it.
func TestPlace_pipe(t *testing.T) {
	cwd := realDir(t)
	if err := syscall.Mkfifo(filepath.Join(cwd, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	place, err := mustPaths(t, cwd, PathOptions{Writable: []string{"."}}).Resolve(cwd, "pipe", Write)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := place.Open(); !errors.Is(err, ErrNotRegular) {
		t.Errorf("open: %v", err)
	}
	if _, err := place.WriteFile(nil); !errors.Is(err, ErrNotRegular) {
		t.Errorf("write: %v", err)
	}
}
