//go:build !unix || stophook_portable

package evidence

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/stophook/stophook/internal/filelock"
)

// This is the folder for systems without openat, in practice Windows. It is built
// on os.Root, whose handles stay at the folder they were opened for and share
// deletion, so that a state can be replaced while a reader has it open.
//
// The tests of this package run over it on every system with
// -tags stophook_portable; what is left to Windows alone is its lock.

// folder is an open directory. Every file is opened relative to it, so a path that
// somebody swaps for a link in between is never walked again.
type folder struct {
	root *os.Root
	path string
}

// file is an open regular file.
type file struct {
	f    *os.File
	path string
	size int64 // when opened
}

type openMode int

// No mode appends: on Windows that takes the right to shorten the file again. The
// ledger is only written under the lock, where its end does not move.
const (
	forRead      openMode = openMode(os.O_RDONLY)
	forAppend    openMode = openMode(os.O_RDWR | os.O_CREATE)
	forLock      openMode = openMode(os.O_RDWR | os.O_CREATE)
	forExclusive openMode = openMode(os.O_WRONLY | os.O_CREATE | os.O_EXCL)
)

// modesCount tells that the bits of a mode keep other users out. On Windows they say
// nothing: there the rights come from the folder that the state folder lies in, by
// default one below the person's own profile.
const modesCount = runtime.GOOS != "windows"

// openFolder opens base and walks down names without following links. With
// create, what is missing is made (0700) and what is too open is tightened; else
// a missing step gives an error that is fs.ErrNotExist.
func openFolder(base string, names []string, create bool) (folder, error) {
	root, err := os.OpenRoot(base)
	if create && errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(base, 0o700); err != nil {
			return folder{}, fmt.Errorf("make the state folder: %w", err)
		}
		root, err = os.OpenRoot(base)
	}
	if err != nil {
		return folder{}, fmt.Errorf("open the state folder %s: %w", base, err)
	}
	dir := folder{root: root, path: base}
	for _, name := range names {
		next, err := dir.step(name, create)
		dir.close()
		if err != nil {
			return folder{}, err
		}
		dir = next
	}
	return dir, nil
}

func (d folder) step(name string, create bool) (folder, error) {
	path := filepath.Join(d.path, name)
	info, err := d.root.Lstat(name)
	if create && errors.Is(err, fs.ErrNotExist) {
		// Somebody else may have made it meanwhile; looking again decides.
		if err := d.root.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return folder{}, fmt.Errorf("make folder %s: %w", path, err)
		}
		info, err = d.root.Lstat(name)
	}
	if err != nil {
		return folder{}, fmt.Errorf("open folder %s: %w", path, err)
	}
	if problem := oddity(info, fs.ModeDir); problem != "" {
		return folder{}, &UnsafePathError{Path: path, Problem: problem}
	}
	root, err := d.root.OpenRoot(name)
	if err != nil {
		return folder{}, fmt.Errorf("open folder %s: %w", path, err)
	}
	// A link that was put in its place since we looked leads to another folder.
	opened, err := root.Stat(".")
	if err == nil && !os.SameFile(info, opened) {
		err = &UnsafePathError{Path: path, Problem: "is a symbolic link"}
	}
	if err == nil && create && modesCount && opened.Mode().Perm()&0o077 != 0 {
		if err = root.Chmod(".", 0o700); err != nil {
			err = fmt.Errorf("close folder %s to other users: %w", path, err)
		}
	}
	if err != nil {
		root.Close()
		return folder{}, err
	}
	return folder{root: root, path: path}, nil
}

// oddity says what is wrong with something that should be of the wanted type: a
// folder, or with 0 a regular file. A junction of Windows is neither.
func oddity(info fs.FileInfo, want fs.FileMode) string {
	switch kind := info.Mode().Type(); {
	case kind == want:
		return ""
	case kind&fs.ModeSymlink != 0:
		return "is a symbolic link"
	case want == fs.ModeDir:
		return "is not a folder"
	}
	return "is not a regular file"
}

func (d folder) close() { d.root.Close() }

// open opens a regular file, made with 0600 when the mode creates.
func (d folder) open(name string, mode openMode) (file, error) {
	path := filepath.Join(d.path, name)
	// Looked at before it is opened, so that a pipe in its place cannot hang the hook.
	before, err := d.root.Lstat(name)
	if err == nil && mode != forExclusive {
		if problem := oddity(before, 0); problem != "" {
			return file{}, &UnsafePathError{Path: path, Problem: problem}
		}
	}
	handle, err := d.root.OpenFile(name, int(mode), 0o600)
	if err != nil {
		return file{}, fmt.Errorf("open %s: %w", path, err)
	}
	f := file{f: handle, path: path}
	info, err := handle.Stat()
	switch {
	case err != nil:
		err = fmt.Errorf("inspect %s: %w", path, err)
	case oddity(info, 0) != "":
		err = &UnsafePathError{Path: path, Problem: oddity(info, 0)}
	default:
		err = d.unswapped(name, info)
	}
	if err == nil && mode != forRead && modesCount && info.Mode().Perm()&0o077 != 0 {
		if err = handle.Chmod(0o600); err != nil {
			err = fmt.Errorf("close %s to other users: %w", path, err)
		}
	}
	if err != nil {
		handle.Close()
		return file{}, err
	}
	f.size = info.Size()
	return f, nil
}

// unswapped refuses a file that was reached by a link which somebody put there after
// we had looked. A file that another hook replaced meanwhile is as good as before.
func (d folder) unswapped(name string, opened fs.FileInfo) error {
	now, err := d.root.Lstat(name)
	if err == nil && !os.SameFile(now, opened) && now.Mode()&fs.ModeSymlink != 0 {
		return &UnsafePathError{Path: filepath.Join(d.path, name), Problem: "is a symbolic link"}
	}
	return nil
}

func (d folder) exists(name string) (bool, error) {
	_, err := d.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

func (d folder) rename(from, to string) error {
	if err := d.root.Rename(from, to); err != nil {
		return fmt.Errorf("rename %s to %s: %w", filepath.Join(d.path, from), to, err)
	}
	return nil
}

func (d folder) remove(name string) error { return d.root.Remove(name) }

func (d folder) removeFolder(name string) error { return d.root.Remove(name) }

// list names what is in the folder.
func (d folder) list() ([]string, error) {
	f, err := d.root.Open(".")
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", d.path, err)
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

func (f file) close() error { return f.f.Close() }

// readFrom reads from offset to the size at opening; what is appended later is
// left for the next reader.
func (f file) readFrom(offset int64) ([]byte, error) {
	buf := make([]byte, f.size-offset)
	n, err := f.f.ReadAt(buf, offset)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("read %s: %w", f.path, err)
	}
	return buf[:n], nil
}

// write adds at the end that the file had when it was opened, which only whoever
// holds the lock may do. What a short or failed write left behind is taken back, so
// that an error means that nothing was added.
func (f file) write(data []byte) error {
	_, err := f.f.WriteAt(data, f.size)
	if err == nil {
		return nil
	}
	f.f.Truncate(f.size) // WriteAt does not always tell what it has written
	return fmt.Errorf("write %s: %w", f.path, err)
}

// tryLock reports whether it got the lock. The lock belongs to this opening of
// the file, so goroutines of one process exclude each other as well.
func (f file) tryLock() (bool, error) {
	got, err := filelock.TryLock(f.f)
	if err != nil {
		return false, fmt.Errorf("lock %s: %w", f.path, err)
	}
	return got, nil
}

func (f file) unlock() {
	filelock.Unlock(f.f)
	f.close()
}
