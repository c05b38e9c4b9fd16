package execctx

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// errNotRegular is a device, a pipe or the like, which has no content to give
// or to replace and may block for ever.
var errNotRegular = errors.New("not a regular file")

// newFileMode is that of files that did not exist.
const newFileMode = 0o644

// readFile gives the content of a regular file.
func readFile(ctx context.Context, name string) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if err := regular("read", name, info); err != nil {
		return nil, err
	}
	return os.ReadFile(name)
}

// listFiles gives the entries of a folder by name. A link counts as what it
// points to, where that exists.
func listFiles(ctx context.Context, name string) ([]FileInfo, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	entries, err := os.ReadDir(name)
	if err != nil {
		return nil, err
	}
	infos := make([]FileInfo, 0, len(entries))
	for _, entry := range entries {
		info, err := os.Stat(filepath.Join(name, entry.Name()))
		if err != nil {
			info, err = entry.Info()
		}
		if errors.Is(err, fs.ErrNotExist) {
			continue // gone since the folder was read
		}
		if err != nil {
			return nil, err
		}
		file := FileInfo{Name: entry.Name(), Dir: info.IsDir()}
		if !file.Dir {
			file.Size = info.Size()
		}
		infos = append(infos, file)
	}
	return infos, nil
}

// writeFile replaces a file as a whole or not at all: a reader, and whoever
// looks after a crash, finds the old content or the new one. What a link points
// to is replaced, not the link. Mode and, where allowed, owner stay.
func writeFile(ctx context.Context, name string, data []byte) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	target, err := followLinks(name)
	if err != nil {
		return err
	}
	old, err := replaceable(target)
	if err != nil {
		return err
	}
	dir := filepath.Dir(target)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	temp, err := os.CreateTemp(dir, ".write-*.tmp")
	if err != nil {
		return err
	}
	err = fill(temp, data, old)
	if closed := temp.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(temp.Name(), target)
	}
	if err != nil {
		_ = os.Remove(temp.Name())
		return err
	}
	syncDir(dir)
	return nil
}

// fill makes a temporary file what the target is to be.
func fill(temp *os.File, data []byte, old fs.FileInfo) error {
	mode := fs.FileMode(newFileMode)
	if old != nil {
		mode = old.Mode().Perm()
		keepOwner(temp, old)
	}
	if err := temp.Chmod(mode); err != nil {
		return err
	}
	if _, err := temp.Write(data); err != nil {
		return err
	}
	return temp.Sync()
}

// replaceable gives what is there, nil when nothing is, and an error when it may
// not be written: a rename would not ask for the file's own permission.
func replaceable(name string) (fs.FileInfo, error) {
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := regular("write", name, info); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(name, os.O_WRONLY, 0)
	switch {
	case err == nil:
		return info, file.Close()
	case errors.Is(err, fs.ErrPermission):
		return nil, err
	default: // a program that runs cannot be written, but it can be replaced
		return info, nil
	}
}

func regular(op, name string, info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return &fs.PathError{Op: op, Path: name, Err: syscall.EISDIR}
	case !info.Mode().IsRegular():
		return &fs.PathError{Op: op, Path: name, Err: errNotRegular}
	default:
		return nil
	}
}

// followLinks gives the file that a write to name would reach. Its last link may
// point to nothing yet.
func followLinks(name string) (string, error) {
	const most = 40 // as the system does
	for range most {
		info, err := os.Lstat(name)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			// Nothing there, or no link: whatever is wrong shows when it is used.
			return name, nil
		}
		to, err := os.Readlink(name)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			// Dots in a link count from the folder that it really lies in.
			dir, err := filepath.EvalSymlinks(filepath.Dir(name))
			if err != nil {
				return "", err
			}
			to = filepath.Join(dir, to)
		}
		name = to
	}
	return "", &fs.PathError{Op: "write", Path: name, Err: syscall.ELOOP}
}

// syncDir makes a rename last. Not every file system can; the content is safe
// either way.
func syncDir(name string) {
	dir, err := os.Open(name)
	if err != nil {
		return
	}
	_ = dir.Sync()
	_ = dir.Close()
}
