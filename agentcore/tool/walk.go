package tool

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Entry is a file or a folder that a walk comes to.
type Entry struct {
	// Rel is its path below the place where the walk began, with slashes.
	Rel string
	// Info is that of the file; of a link, that of what it leads to.
	Info fs.FileInfo
	// Link is a symbolic link. A walk lists it if what it leads to may be read,
	// and never goes into it.
	Link bool
	// Err is a folder that could not be read; the walk goes on beside it.
	Err error

	open func() (*os.File, error)
}

// Open opens the file for reading, checked as [Place.Open] does. It works until
// visit has returned.
func (e Entry) Open() (*os.File, error) { return e.open() }

// Walk visits all that lies below a folder, by name, files and folders alike, the
// folders before what is in them. What the policy excludes is not there. visit may
// return fs.SkipDir for a folder, to leave it out, and fs.SkipAll to end; another
// error ends the walk and is returned, as is the cause of ctx.
func (p Place) Walk(ctx context.Context, visit func(Entry) error) error {
	parent, name, err := p.parent(false)
	if err != nil {
		return err
	}
	defer func() { _ = parent.Close() }()
	dir, err := enter(parent, name, false)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	names, err := readNames(dir)
	if err != nil {
		return err
	}
	err = p.walk(ctx, dir, names, "", visit)
	if errors.Is(err, fs.SkipAll) {
		return nil
	}
	return err
}

// ReadDir lists a folder, by name, as Walk would and without going deeper.
func (p Place) ReadDir(ctx context.Context) ([]Entry, error) {
	var entries []Entry
	err := p.Walk(ctx, func(e Entry) error {
		entries = append(entries, e)
		if e.Info.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	return entries, err
}

func (p Place) walk(ctx context.Context, dir *os.Root, names []string, rel string, visit func(Entry) error) error {
	for _, name := range names {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		entry, ok := p.entry(dir, join2(rel, name), name)
		if !ok {
			continue
		}
		switch err := visit(entry); {
		case errors.Is(err, fs.SkipDir) && entry.Info.IsDir():
			continue
		case err != nil:
			return err
		}
		if !entry.Info.IsDir() || entry.Link {
			continue
		}
		if err := p.descend(ctx, dir, name, entry, visit); err != nil {
			return err
		}
	}
	return nil
}

// descend walks a folder. One that cannot be read is told to visit once more.
func (p Place) descend(ctx context.Context, dir *os.Root, name string, entry Entry, visit func(Entry) error) error {
	var names []string
	child, err := enter(dir, name, false)
	if err == nil {
		defer func() { _ = child.Close() }()
		names, err = readNames(child)
	}
	if err != nil {
		entry.Err = err
		if err := visit(entry); err != nil && !errors.Is(err, fs.SkipDir) {
			return err
		}
		return nil
	}
	return p.walk(ctx, child, names, entry.Rel, visit)
}

// entry looks at one name of a folder; ok is false for what the policy excludes,
// what leads outside, and what is gone.
func (p Place) entry(dir *os.Root, rel, name string) (Entry, bool) {
	info, err := dir.Lstat(name)
	if err != nil {
		return Entry{}, false
	}
	if info.Mode()&fs.ModeSymlink == 0 {
		for _, base := range []string{p.Real, p.Path} {
			if p.policy.deny.holds(filepath.Join(base, filepath.FromSlash(rel))) {
				return Entry{}, false
			}
		}
		return Entry{Rel: rel, Info: info, open: func() (*os.File, error) { return openNoLink(dir, name) }}, true
	}
	target, err := p.policy.Resolve("", filepath.Join(p.Real, filepath.FromSlash(rel)), Read)
	if err != nil || !target.Exists {
		return Entry{}, false
	}
	if info, err = target.Stat(); err != nil {
		return Entry{}, false
	}
	return Entry{Rel: rel, Info: info, Link: true, open: target.Open}, true
}

func readNames(dir *os.Root) ([]string, error) {
	f, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	names, err := f.Readdirnames(-1)
	_ = f.Close()
	slices.SortFunc(names, strings.Compare)
	return names, err
}

func join2(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}
