package evidence

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Folder is the folder of one session as it lies in the store.
type Folder struct {
	Name string // below sessions/
	// ID is the session's id; empty when the name is a spelling that does not give
	// it back. Whoever has an id finds its folder with [Session.Path].
	ID      string
	Changed time.Time // when a file of it was last written
	Size    int64     // of its files, in bytes
}

// Folders lists the folders of all sessions by name. It creates nothing and takes
// no lock. No store is an empty list. What is no folder, such as a symbolic link, is
// left out: no session is kept in it.
func (st Store) Folders() ([]Folder, error) {
	if st.Dir == "" {
		return nil, ErrNoStateDir
	}
	base := filepath.Join(st.Dir, sessionsFolder)
	info, err := os.Lstat(base)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && !info.IsDir() {
		return nil, &UnsafePathError{Path: base, Problem: "is not a folder"}
	}
	var entries []fs.DirEntry
	if err == nil {
		entries, err = os.ReadDir(base)
	}
	if err != nil {
		return nil, fmt.Errorf("list the sessions: %w", err)
	}
	var folders []Folder
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		f := Folder{Name: e.Name()}
		if folderName(f.Name, foldsCase()) == f.Name {
			f.ID = f.Name
		}
		if f.measure(filepath.Join(base, f.Name)) == nil {
			folders = append(folders, f)
		}
	}
	return folders, nil
}

// measure fills in when the folder was last used and how large it is.
func (f *Folder) measure(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	f.Size, f.Changed = 0, time.Time{}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			continue // gone meanwhile
		}
		f.Size += info.Size()
		// The lock is opened, and made, by whoever looks whether it is held.
		if e.Name() != lockName && info.ModTime().After(f.Changed) {
			f.Changed = info.ModTime()
		}
	}
	if f.Changed.IsZero() {
		f.Changed = info.ModTime() // nothing was ever filed
	}
	return nil
}

// foldsCase tells whether file names that differ in case alone are the same here.
func foldsCase() bool { return runtime.GOOS == "darwin" || runtime.GOOS == "windows" }

// Pruned is what became of a folder that was old enough to go.
type Pruned struct {
	Folder
	Kept string // why it stays; empty when it was removed, or would be in a dry run
}

// Prune removes the folders of sessions that nobody has used since before, and
// tells about each of them; younger ones are not told. With dry set nothing is
// removed, opened for writing or made.
//
// A folder stays when its lock is held, when it turned younger meanwhile, and when
// anything is in it that this package does not write. Links are not followed. A
// hook that comes to the very session while it is removed fails as with a folder
// that cannot be written: its turn may end.
func (st Store) Prune(before time.Time, dry bool) ([]Pruned, error) {
	folders, err := st.Folders()
	if err != nil {
		return nil, err
	}
	var told []Pruned
	for _, f := range folders {
		if !f.Changed.Before(before) {
			continue
		}
		p := Pruned{Folder: f}
		if err := st.prune(f, before, dry); err != nil {
			p.Kept = err.Error()
		}
		told = append(told, p)
	}
	return told, nil
}

// prune removes one folder, under its lock.
func (st Store) prune(f Folder, before time.Time, dry bool) error {
	dir, err := openFolder(st.Dir, []string{sessionsFolder, f.Name}, false)
	if err != nil {
		return err
	}
	defer dir.close()
	mode := forLock
	if dry {
		mode = forRead
	}
	lock, err := dir.open(lockName, mode)
	switch {
	case err == nil:
		defer lock.unlock()
		got, err := lock.tryLock()
		if err != nil {
			return err
		}
		if !got {
			return ErrLockTimeout
		}
	case !dry || !errors.Is(err, fs.ErrNotExist):
		return err
	}
	names, err := dir.list()
	if err != nil {
		return err
	}
	filed := false
	for _, name := range names {
		filed = filed || name != lockName
		if !ours(name) {
			return fmt.Errorf("%s is not of stophook: look what it is", filepath.Join(dir.path, name))
		}
	}
	// The files are asked again, now that nobody else can write. The folder itself
	// is young since its lock was made.
	again := f
	if err := again.measure(dir.path); err != nil {
		return err
	}
	if filed && !again.Changed.Before(before) {
		return errors.New("it was used just now")
	}
	if dry {
		return nil
	}
	return st.unlink(dir, f.Name, names)
}

// unlink removes the files, the lock last, and then the folder.
func (st Store) unlink(dir folder, name string, names []string) error {
	for _, file := range names {
		if file == lockName {
			continue
		}
		if err := dir.remove(file); err != nil {
			return fmt.Errorf("remove %s: %w", filepath.Join(dir.path, file), err)
		}
	}
	if err := dir.remove(lockName); err != nil {
		return fmt.Errorf("remove %s: %w", filepath.Join(dir.path, lockName), err)
	}
	sessions, err := openFolder(st.Dir, []string{sessionsFolder}, false)
	if err != nil {
		return err
	}
	defer sessions.close()
	if err := sessions.removeFolder(name); err != nil {
		return fmt.Errorf("remove %s: %w", dir.path, err)
	}
	return nil
}

// ours tells whether this package writes files of a name.
func ours(name string) bool {
	switch name {
	case ledgerName, stateName, stateTemp, lockName:
		return true
	}
	return strings.HasPrefix(name, stateCorrupt)
}
