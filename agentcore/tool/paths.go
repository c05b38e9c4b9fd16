package tool

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Access is what a path is wanted for.
type Access int

// Reading includes listing a folder; writing includes creating.
const (
	Read Access = iota
	Write
)

func (a Access) String() string {
	if a == Write {
		return "write"
	}
	return "read"
}

// PathOptions sets up [Paths].
type PathOptions struct {
	// Readable and Writable are folders, or single files; what is writable is
	// readable as well. A root that does not exist is an error.
	Readable, Writable []string
	// Deny takes away from the roots, and DenyWrite from what may be written:
	// files, folders with all below them, or patterns (**/.env, secrets/*.pem).
	// A relative pattern starts at the working directory. They need not exist.
	Deny, DenyWrite []string
	// Home is what ~ stands for; empty: the home of this program's user.
	Home string
	// Lexical never looks at the disk of this machine: for a context elsewhere.
	// Links are then not seen, unless the context resolves them ([RealPather]).
	Lexical bool
}

// Paths says which files a session's tools may read and write, by real path
// (RT-32). It never changes and may be used by several goroutines at once.
//
// A path is judged by where it leads: every symbolic link in it is resolved, a
// dangling one too, and of a path that does not exist yet the part that does.
// What is then opened is the real path, folder by folder, each of them checked to
// be what was seen: a link that is put in its place meanwhile is refused, not
// followed (see [Place]).
//
// What remains: hard links are files of their own; a mount below a root belongs
// to it; and commands of the shell are not held by this at all, which is for the
// execution context (a container, another user) to do.
type Paths struct {
	home            string
	lexical         bool
	read, write     []string // real paths
	deny, denyWrite denyList
}

// NewPaths makes a policy. Relative roots start at cwd, those that begin with ~ at
// the home. Error: a root that does not exist, a pattern that is none.
func NewPaths(cwd string, opts PathOptions) (*Paths, error) {
	p := &Paths{home: opts.Home, lexical: opts.Lexical}
	var err error
	if p.write, err = p.roots(cwd, opts.Writable); err != nil {
		return nil, err
	}
	if p.read, err = p.roots(cwd, opts.Readable); err != nil {
		return nil, err
	}
	for _, w := range p.write {
		if !slices.Contains(p.read, w) {
			p.read = append(p.read, w)
		}
	}
	if p.deny, err = p.denied(cwd, opts.Deny); err != nil {
		return nil, err
	}
	p.denyWrite, err = p.denied(cwd, opts.DenyWrite)
	return p, err
}

// defaultPaths allows everything below one folder.
func defaultPaths(cwd string, lexical bool) (*Paths, error) {
	return NewPaths(cwd, PathOptions{Writable: []string{cwd}, Lexical: lexical})
}

// alsoReadable is the policy with one more folder to read, if it exists.
func (p *Paths) alsoReadable(cwd, dir string) *Paths {
	roots, err := p.roots(cwd, []string{dir})
	if err != nil || slices.Contains(p.read, roots[0]) {
		return p
	}
	more := *p
	more.read = append(slices.Clone(p.read), roots[0])
	return &more
}

func (p *Paths) roots(cwd string, named []string) ([]string, error) {
	var out []string
	for _, name := range named {
		path, err := p.absolute(cwd, name)
		if err != nil {
			return nil, fmt.Errorf("root %q: %w", name, err)
		}
		if !p.lexical {
			real, exists, err := realPath(path)
			if err == nil && !exists {
				err = os.ErrNotExist
			}
			if err != nil {
				return nil, fmt.Errorf("root %q: %w", name, err)
			}
			path = real
		}
		out = append(out, filepath.Clean(path))
	}
	return out, nil
}

// absolute gives a path from the file system's root. It is not clean: x/.. may be
// another folder than the one that holds x, if x is a link.
func (p *Paths) absolute(cwd, path string) (string, error) {
	switch {
	case path == "":
		return "", errors.New("the path is empty")
	case strings.ContainsRune(path, 0):
		return "", errors.New("the path holds a NUL byte")
	}
	if path == "~" || strings.HasPrefix(path, "~/") {
		home := p.home
		if home == "" {
			var err error
			if home, err = os.UserHomeDir(); err != nil {
				return "", err
			}
		}
		path = home + path[1:]
	}
	if filepath.IsAbs(path) {
		return path, nil
	}
	if !filepath.IsAbs(cwd) {
		return "", fmt.Errorf("the working directory %q is not absolute", cwd)
	}
	return cwd + string(filepath.Separator) + path, nil
}

// inside tells whether path is root or below it. Both are clean.
func inside(root, path string) bool {
	if root == path {
		return true
	}
	if !strings.HasSuffix(root, string(filepath.Separator)) {
		root += string(filepath.Separator)
	}
	return strings.HasPrefix(path, root)
}

// denyList is what is taken away from the roots.
type denyList struct {
	paths    []string // clean, as named and as real
	patterns []string // with slashes
}

func (p *Paths) denied(cwd string, named []string) (denyList, error) {
	var d denyList
	for _, name := range named {
		if strings.ContainsAny(name, "*?[{") {
			if !strings.HasPrefix(name, "**") {
				path, err := p.absolute(cwd, name)
				if err != nil {
					return d, fmt.Errorf("pattern %q: %w", name, err)
				}
				name = path
			}
			name = foldCase(filepath.ToSlash(filepath.Clean(name)))
			if !doublestar.ValidatePattern(name) {
				return d, fmt.Errorf("%q is no pattern for paths", name)
			}
			d.patterns = append(d.patterns, name)
			continue
		}
		path, err := p.absolute(cwd, name)
		if err != nil {
			return d, fmt.Errorf("denied path %q: %w", name, err)
		}
		d.paths = append(d.paths, foldCase(filepath.Clean(path)))
		if !p.lexical {
			real, _, err := realPath(path)
			if err != nil {
				return d, fmt.Errorf("denied path %q: %w", name, err)
			}
			d.paths = append(d.paths, foldCase(real))
		}
	}
	return d, nil
}

// holds tells whether path, or a folder above it, is denied.
func (d denyList) holds(path string) bool {
	if len(d.paths) == 0 && len(d.patterns) == 0 {
		return false
	}
	path = foldCase(path)
	for _, root := range d.paths {
		if inside(root, path) {
			return true
		}
	}
	for _, pattern := range d.patterns {
		for at := path; ; at = filepath.Dir(at) {
			name := filepath.ToSlash(at)
			if doublestar.MatchUnvalidated(pattern, name) || doublestar.MatchUnvalidated(pattern, strings.TrimPrefix(name, "/")) {
				return true
			}
			if at == filepath.Dir(at) {
				break
			}
		}
	}
	return false
}

// foldCase makes a denied name hold in every spelling where the file system takes
// them for the same. Roots are compared as they are: another spelling is refused,
// which is safe.
func foldCase(path string) string {
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		return strings.ToLower(path)
	}
	return path
}
