//go:build unix && !stophook_portable

package evidence

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// folder is an open directory. Every file is opened relative to it, so a path
// that somebody swaps for a link in between is never walked again.
//
// Descriptors are used raw: an os.File would set up the runtime's poller, which
// costs more than all the reads of a hook together.
type folder struct {
	fd   int
	path string
}

// file is an open regular file.
type file struct {
	fd   int
	path string
	size int64 // when opened
}

type openMode int

const (
	forRead      openMode = unix.O_RDONLY
	forAppend    openMode = unix.O_RDWR | unix.O_APPEND | unix.O_CREAT
	forLock      openMode = unix.O_RDWR | unix.O_CREAT
	forExclusive openMode = unix.O_WRONLY | unix.O_CREAT | unix.O_EXCL
)

// openFolder opens base and walks down names without following links. With
// create, what is missing is made (0700) and what is too open is tightened; else
// a missing step gives an error that is fs.ErrNotExist.
func openFolder(base string, names []string, create bool) (folder, error) {
	flags := unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC
	fd, err := openat(unix.AT_FDCWD, base, flags, 0)
	if create && errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(base, 0o700); err != nil {
			return folder{}, fmt.Errorf("make the state folder: %w", err)
		}
		fd, err = openat(unix.AT_FDCWD, base, flags, 0)
	}
	if err != nil {
		return folder{}, fmt.Errorf("open the state folder %s: %w", base, err)
	}
	dir := folder{fd: fd, path: base}
	for _, name := range names {
		next, err := dir.step(name, flags|unix.O_NOFOLLOW, create)
		dir.close()
		if err != nil {
			return folder{}, err
		}
		dir = next
	}
	return dir, nil
}

func (d folder) step(name string, flags int, create bool) (folder, error) {
	path := filepath.Join(d.path, name)
	fd, err := openat(d.fd, name, flags, 0)
	if create && errors.Is(err, fs.ErrNotExist) {
		// Somebody else may have made it meanwhile; opening decides.
		if err := unix.Mkdirat(d.fd, name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return folder{}, fmt.Errorf("make folder %s: %w", path, err)
		}
		fd, err = openat(d.fd, name, flags, 0)
	}
	if err != nil {
		return folder{}, d.explain("open folder", name, err)
	}
	if create {
		var st unix.Stat_t
		if unix.Fstat(fd, &st) == nil && st.Mode&0o077 != 0 {
			if err := unix.Fchmod(fd, 0o700); err != nil {
				unix.Close(fd)
				return folder{}, fmt.Errorf("close folder %s to other users: %w", path, err)
			}
		}
	}
	return folder{fd: fd, path: path}, nil
}

// explain names links and odd files, which the kernel reports as ELOOP, ENOTDIR,
// ENXIO and so on, differently on each system.
func (d folder) explain(what, name string, err error) error {
	path := filepath.Join(d.path, name)
	var st unix.Stat_t
	// ErrExist is the answer an exclusive open asked for, whatever is there.
	if !errors.Is(err, fs.ErrExist) && unix.Fstatat(d.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil {
		switch kind := st.Mode & unix.S_IFMT; {
		case kind == unix.S_IFLNK:
			return &UnsafePathError{Path: path, Problem: "is a symbolic link"}
		case what == "open folder" && kind != unix.S_IFDIR:
			return &UnsafePathError{Path: path, Problem: "is not a folder"}
		case what != "open folder" && kind != unix.S_IFREG:
			return &UnsafePathError{Path: path, Problem: "is not a regular file"}
		}
	}
	return fmt.Errorf("%s %s: %w", what, path, err)
}

func (d folder) close() { unix.Close(d.fd) }

// open opens a regular file, made with 0600 when the mode creates.
func (d folder) open(name string, mode openMode) (file, error) {
	// Non-blocking, so that a pipe in the file's place cannot hang the hook.
	fd, err := openat(d.fd, name, int(mode)|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return file{}, d.explain("open", name, err)
	}
	f := file{fd: fd, path: filepath.Join(d.path, name)}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		f.close()
		return file{}, fmt.Errorf("inspect %s: %w", f.path, err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		f.close()
		return file{}, &UnsafePathError{Path: f.path, Problem: "is not a regular file"}
	}
	if mode != forRead && st.Mode&0o077 != 0 {
		if err := unix.Fchmod(fd, 0o600); err != nil {
			f.close()
			return file{}, fmt.Errorf("close %s to other users: %w", f.path, err)
		}
	}
	f.size = st.Size
	return f, nil
}

func (d folder) exists(name string) (bool, error) {
	var st unix.Stat_t
	err := unix.Fstatat(d.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

func (d folder) rename(from, to string) error {
	if err := unix.Renameat(d.fd, from, d.fd, to); err != nil {
		return fmt.Errorf("rename %s to %s: %w", filepath.Join(d.path, from), to, err)
	}
	return nil
}

func (d folder) remove(name string) error { return unix.Unlinkat(d.fd, name, 0) }

func (d folder) removeFolder(name string) error { return unix.Unlinkat(d.fd, name, unix.AT_REMOVEDIR) }

// list names what is in the folder.
func (d folder) list() ([]string, error) {
	fd, err := openat(d.fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", d.path, err)
	}
	f := os.NewFile(uintptr(fd), d.path)
	defer f.Close()
	return f.Readdirnames(-1)
}

func (f file) close() error { return unix.Close(f.fd) }

// readFrom reads from offset to the size at opening; what is appended later is
// left for the next reader.
func (f file) readFrom(offset int64) ([]byte, error) {
	buf := make([]byte, f.size-offset)
	for n := 0; n < len(buf); {
		m, err := unix.Pread(f.fd, buf[n:], offset+int64(n))
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", f.path, err)
		}
		if m == 0 {
			return buf[:n], nil
		}
		n += m
	}
	return buf, nil
}

// write is one write call. What a short or failed write left behind is taken
// back, so that an error means that nothing was added.
func (f file) write(data []byte) error {
	for {
		n, err := unix.Write(f.fd, data)
		if err == unix.EINTR {
			continue
		}
		if err == nil && n < len(data) {
			err = fmt.Errorf("only %d of %d bytes fitted", n, len(data))
		}
		if err == nil {
			return nil
		}
		if n > 0 {
			unix.Ftruncate(f.fd, f.size)
		}
		return fmt.Errorf("write %s: %w", f.path, err)
	}
}

// tryLock reports whether it got the lock. The lock belongs to this opening of
// the file, so goroutines of one process exclude each other as well.
func (f file) tryLock() (bool, error) {
	for {
		err := unix.Flock(f.fd, unix.LOCK_EX|unix.LOCK_NB)
		switch err {
		case nil:
			return true, nil
		case unix.EINTR:
			continue
		case unix.EWOULDBLOCK:
			return false, nil
		}
		return false, fmt.Errorf("lock %s: %w", f.path, err)
	}
}

// unlock is explicit, because a child process between fork and exec shares the
// opening and would keep a lock that only close releases.
func (f file) unlock() {
	unix.Flock(f.fd, unix.LOCK_UN)
	f.close()
}

func openat(fd int, name string, flags int, perm uint32) (int, error) {
	for {
		got, err := unix.Openat(fd, name, flags, perm)
		if err != unix.EINTR {
			return got, err
		}
	}
}
