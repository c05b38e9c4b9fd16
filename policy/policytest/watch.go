package policytest

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A Watch finds out which files a test run depends on, and which of them changed.
// Not safe for concurrent use.
type Watch struct {
	opts   Options
	beside []string // files outside of the DIRs, as of the last change
	seen   map[string]stamp
}

// stamp is enough to see that a file was written: not its content, which would be
// read every time.
type stamp struct {
	size int64
	mod  int64 // nanoseconds
	mode fs.FileMode
}

// NewWatch notes how the files of a run look now. Make it before the run, so that
// what changes meanwhile is not missed.
func NewWatch(opts Options) *Watch {
	w := &Watch{opts: opts}
	w.beside = w.findBeside()
	w.seen = w.scan()
	return w
}

// Changes lists the files that were added, removed or written since the last call,
// in order; nil for none. A file that cannot be looked at counts as removed.
func (w *Watch) Changes() []string {
	now := w.scan()
	var changed []string
	for name, was := range w.seen {
		if is, ok := now[name]; !ok || is != was {
			changed = append(changed, name)
		}
	}
	for name := range now {
		if _, ok := w.seen[name]; !ok {
			changed = append(changed, name)
		}
	}
	if len(changed) > 0 {
		// What the policies ask for may now stand somewhere else.
		w.beside = w.findBeside()
		now = w.scan()
	}
	w.seen = now
	slices.Sort(changed)
	return changed
}

// Wait returns the files that changed, once they have been quiet for one tick: an
// editor writes several, and none of them at once. It returns nil when ctx ends.
func (w *Watch) Wait(ctx context.Context, tick <-chan time.Time) []string {
	pending := map[string]bool{}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick:
		}
		changed := w.Changes()
		for _, name := range changed {
			pending[name] = true
		}
		if len(changed) == 0 && len(pending) > 0 {
			return slices.Sorted(maps.Keys(pending))
		}
	}
}

// findBeside lists the policies that a run reads, wherever they are.
func (w *Watch) findBeside() []string {
	var names []string
	for _, dir := range w.opts.Dirs {
		if t, err := resolve(dir); err == nil {
			for _, f := range t.tree.files {
				names = append(names, filepath.FromSlash(f.name))
			}
		}
	}
	return names
}

// scan looks at every file that a run would read.
func (w *Watch) scan() map[string]stamp {
	files := map[string]stamp{}
	note := func(name string) {
		if st, err := os.Stat(name); err == nil && st.Mode().IsRegular() {
			files[filepath.ToSlash(name)] = stamp{st.Size(), st.ModTime().UnixNano(), st.Mode()}
		}
	}
	if w.opts.Config != "" {
		note(w.opts.Config)
	}
	for _, name := range w.beside {
		note(name)
	}
	for _, dir := range w.opts.Dirs {
		if st, err := os.Stat(dir); err == nil && !st.IsDir() {
			dir = filepath.Dir(dir)
		}
		// Through DirFS, a DIR that is a link to a folder is walked, too.
		_ = fs.WalkDir(os.DirFS(dir), ".", func(p string, d fs.DirEntry, err error) error {
			switch {
			case err != nil && d != nil && d.IsDir():
				return fs.SkipDir // what cannot be read is not there
			case err != nil:
				return nil
			case d.IsDir() && strings.HasPrefix(d.Name(), ".") && p != ".":
				return fs.SkipDir
			case !d.IsDir():
				note(filepath.Join(dir, filepath.FromSlash(p)))
			}
			return nil
		})
	}
	return files
}
