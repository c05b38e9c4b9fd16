package tool

import (
	"errors"
	"path/filepath"
)

// Access is what a path is wanted for.
type Access int

// Reading includes listing a folder; writing includes creating.
const (
	Read Access = iota
	Write
)

// PathOptions sets up [Paths].
type PathOptions struct {
	// Readable and Writable are folders, or single files; what is writable is
	// readable as well. Relative ones, and those that begin with ~, are resolved
	// when the policy is made. A root that does not exist is an error.
	Readable, Writable []string
	// Deny and DenyWrite take away from the roots: folders and files, with all
	// below them, or patterns such as **/.env. They need not exist.
	Deny, DenyWrite []string
	// Home is what ~ stands for; empty: the home of this program's user.
	Home string
}

// Paths says which files a session's tools may read and write, by real path. It
// never changes and may be used by several goroutines at once.
type Paths struct {
	opts PathOptions
}

// NewPaths makes a policy. Relative roots start at cwd.
func NewPaths(cwd string, opts PathOptions) (*Paths, error) {
	return &Paths{opts: opts}, nil
}

// Place is a path that was allowed.
type Place struct {
	Path   string // absolute and clean, as named
	Real   string // with all links resolved
	Root   string // the real root that allows it
	Exists bool
}

// Resolve finds what path is and whether it may be used. A nil policy allows
// everything below cwd, where relative paths start. Error: [*PathError].
func (p *Paths) Resolve(cwd, path string, access Access) (Place, error) {
	if path == "" {
		return Place{}, errors.New("empty path")
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(cwd, path)
	}
	return Place{Path: path, Real: path, Root: cwd}, nil
}
