package tool

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
)

// Place is a path that was allowed, on this machine. Its methods reach what lies
// there folder by folder from the root that allows it, and refuse links: whoever
// swaps a folder or a file for a link between the check and the use gets
// [ErrChanged], and nothing outside is touched.
//
// What remains is a swap above the root itself, which the tools of a session
// cannot do.
type Place struct {
	Path   string // absolute and clean, as named
	Real   string // with all links resolved
	Root   string // the real root that allows it
	Exists bool   // at the time of the check

	access Access
	policy *Paths
}

// ErrChanged is a path that became another one while it was used.
var ErrChanged = errors.New("the path changed while it was used; try again")

// ErrNotRegular is a device, a pipe or the like, which has no content to give or to
// replace and may block for ever.
var ErrNotRegular = errors.New("not a regular file")

// newFileMode is that of files that did not exist.
const newFileMode = 0o644

// Stat tells what is there.
func (p Place) Stat() (fs.FileInfo, error) {
	parent, name, err := p.parent(false)
	if err != nil {
		return nil, err
	}
	defer func() { _ = parent.Close() }()
	return lstatNoLink(parent, name)
}

// Open opens a regular file for reading, or a folder.
func (p Place) Open() (*os.File, error) {
	parent, name, err := p.parent(false)
	if err != nil {
		return nil, err
	}
	defer func() { _ = parent.Close() }()
	return openNoLink(parent, name)
}

// WriteFile replaces a file as a whole or not at all: a reader, and whoever looks
// after a crash, finds the old content or the new one. Folders above it are made.
// An existing file keeps its mode and, where allowed, its owner; a new one gets
// 0644. created tells whether it is new.
func (p Place) WriteFile(data []byte) (created bool, err error) {
	if p.access != Write {
		return false, &PathError{Access: Write, Path: p.Path, Real: p.Real, Roots: p.policy.write}
	}
	parent, name, err := p.parent(true)
	if err != nil {
		return false, err
	}
	defer func() { _ = parent.Close() }()
	old, err := lstatNoLink(parent, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		old = nil
	case err != nil:
		return false, err
	case old.IsDir():
		return false, &fs.PathError{Op: "write", Path: p.Real, Err: errIsFolder}
	case !old.Mode().IsRegular():
		return false, &fs.PathError{Op: "write", Path: p.Real, Err: ErrNotRegular}
	}
	temp := "." + clipName(name) + ".tmp-" + strconv.FormatUint(rand.Uint64(), 36)
	if err := fillFile(parent, temp, data, old); err != nil {
		_ = parent.Remove(temp)
		return false, err
	}
	// A rename replaces what bears the name, and follows no link.
	if err := parent.Rename(temp, name); err != nil {
		_ = parent.Remove(temp)
		return false, err
	}
	return old == nil, nil
}

var errIsFolder = errors.New("it is a folder")

func clipName(name string) string {
	if len(name) > 100 {
		return name[:100]
	}
	return name
}

func fillFile(parent *os.Root, name string, data []byte, old fs.FileInfo) error {
	f, err := parent.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	mode := fs.FileMode(newFileMode)
	if old != nil {
		mode = old.Mode().Perm()
		keepOwner(f, old)
	}
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// parent opens the folder that holds the place. The caller closes it. Of the root
// itself the name is ".".
func (p Place) parent(create bool) (*os.Root, string, error) {
	base, rest := p.Root, ""
	info, err := os.Lstat(base)
	if err == nil && !info.IsDir() && p.Real == base { // a root that is one file
		base = filepath.Dir(base)
	}
	if rest, err = filepath.Rel(base, p.Real); err != nil {
		return nil, "", err
	}
	root, err := openBase(base)
	if err != nil {
		return nil, "", err
	}
	names := parts(rest)
	if len(names) == 0 {
		return root, ".", nil
	}
	for _, name := range names[:len(names)-1] {
		next, err := enter(root, name, create)
		_ = root.Close()
		if err != nil {
			return nil, "", err
		}
		root = next
	}
	return root, names[len(names)-1], nil
}

// openBase opens a root, which was a real path when the policy was made.
func openBase(base string) (*os.Root, error) {
	real, _, err := realPath(base)
	if err != nil {
		return nil, err
	}
	if real != base {
		return nil, fmt.Errorf("%s: %w", base, ErrChanged)
	}
	want, err := os.Lstat(base)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(base)
	if err != nil {
		return nil, err
	}
	return same(root, want, base)
}

// enter opens a folder inside another one, and makes it first if it should.
func enter(parent *os.Root, name string, create bool) (*os.Root, error) {
	want, err := parent.Lstat(name)
	if create && errors.Is(err, fs.ErrNotExist) {
		if err := parent.Mkdir(name, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		want, err = parent.Lstat(name)
	}
	if err != nil {
		return nil, err
	}
	if want.Mode()&fs.ModeSymlink != 0 {
		return nil, fmt.Errorf("%s: %w", name, ErrChanged)
	}
	root, err := parent.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	return same(root, want, name)
}

// same closes and refuses a folder that is not the one that was seen.
func same(root *os.Root, want fs.FileInfo, name string) (*os.Root, error) {
	got, err := root.Stat(".")
	if err == nil && !os.SameFile(want, got) {
		err = fmt.Errorf("%s: %w", name, ErrChanged)
	}
	if err != nil {
		_ = root.Close()
		return nil, err
	}
	return root, nil
}

func lstatNoLink(parent *os.Root, name string) (fs.FileInfo, error) {
	info, err := parent.Lstat(name)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil, fmt.Errorf("%s: %w", name, ErrChanged)
	}
	return info, err
}

// openNoLink opens a regular file or a folder that is no link.
func openNoLink(parent *os.Root, name string) (*os.File, error) {
	want, err := lstatNoLink(parent, name)
	if err != nil {
		return nil, err
	}
	if !want.Mode().IsRegular() && !want.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: ErrNotRegular}
	}
	f, err := parent.OpenFile(name, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, err
	}
	got, err := f.Stat()
	if err == nil && !os.SameFile(want, got) {
		err = fmt.Errorf("%s: %w", name, ErrChanged)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}
