//go:build !unix || stophook_portable

package decisionlog

import (
	"fmt"
	"os"
	"path/filepath"
)

// openPlain opens a file and refuses what is no regular one. On Windows, handles that
// an os.Root has opened share deletion, and others do not: a log that somebody else
// reads could not be rotated.
//
// -tags stophook_portable takes this file on every system, for tests.
func openPlain(path string, flags int) (*os.File, error) {
	dir, name := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if before, err := root.Lstat(name); err == nil && !before.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: %s", ErrNotRegular, path)
	}
	f, err := root.OpenFile(name, flags, 0o600)
	if err != nil {
		return nil, err
	}
	// A link that was put there meanwhile leads to another file.
	now, err := root.Lstat(name)
	if err == nil && now.Mode()&os.ModeSymlink != 0 {
		f.Close()
		return nil, fmt.Errorf("%w: %s", ErrNotRegular, path)
	}
	return f, nil
}
