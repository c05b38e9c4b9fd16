package tool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/stophook/stophook/execctx"
)

// PathError is a path that may not be used, or that cannot be judged. It matches
// fs.ErrPermission when the policy refused it, else Err.
type PathError struct {
	Access Access
	Path   string   // as given
	Real   string   // where it leads; empty if that is not known
	Roots  []string // what is allowed
	Denied bool     // inside the roots, and taken away from them
	Err    error    // why it could not be judged
}

func (e *PathError) Error() string {
	what := fmt.Sprintf("%q", clip(e.Path, 300))
	if e.Err != nil {
		return fmt.Sprintf("%s: %v", what, e.Err)
	}
	if e.Real != "" && filepath.Clean(e.Path) != e.Real {
		what += " leads to " + e.Real + ", which"
	}
	if e.Denied {
		return fmt.Sprintf("%s may not be used to %s: the policy of this session excludes it", what, e.Access)
	}
	where := "nothing"
	if len(e.Roots) > 0 {
		where = strings.Join(e.Roots, ", ")
	}
	return fmt.Sprintf("%s is outside of what this session may %s: %s", what, e.Access, where)
}

func (e *PathError) Unwrap() error {
	if e.Err != nil {
		return e.Err
	}
	return fs.ErrPermission
}

// RealPather is a context elsewhere that can tell where its own links lead. Found
// with [execctx.As]; without it paths of such a context are judged by name.
type RealPather interface {
	// RealPath resolves every link of an absolute path, as far as it exists.
	RealPath(ctx context.Context, h execctx.Handle, path string) (string, error)
}

// Local tells whether the files of the session are those of this machine: with
// no context, and with those of this module that run processes here.
func (e *Env) Local() bool {
	return e.Exec == nil || e.Handle.Type == "process" || e.Handle.Type == "supervised"
}

// Resolve finds what path is and whether the session may use it so. Relative paths
// start at the handle's working directory; the folder of task output may always be
// read (AC-14). Error: [*PathError].
func (e *Env) Resolve(ctx context.Context, path string, access Access) (Place, error) {
	cwd := e.Handle.CWD
	paths := e.Paths
	if paths == nil {
		var err error
		if paths, err = defaultPaths(cwd, !e.Local()); err != nil {
			return Place{}, &PathError{Access: access, Path: path, Err: err}
		}
	}
	if e.TasksDir != "" && access == Read {
		paths = paths.alsoReadable(cwd, e.TasksDir)
	}
	if e.Local() {
		return paths.Resolve(cwd, path, access)
	}
	place, err := paths.resolve(cwd, path, access, true)
	pather, can := execctx.As[RealPather](e.Exec)
	if err != nil || !can {
		return place, err
	}
	real, err := pather.RealPath(ctx, e.Handle, place.Path)
	if err != nil {
		return Place{}, &PathError{Access: access, Path: path, Err: err}
	}
	return paths.judge(path, place.Path, filepath.Clean(real), access)
}

// Resolve finds what path is and whether it may be used so. A nil policy allows
// everything below cwd, where relative paths start. Error: [*PathError].
func (p *Paths) Resolve(cwd, path string, access Access) (Place, error) {
	if p == nil {
		var err error
		if p, err = defaultPaths(cwd, false); err != nil {
			return Place{}, &PathError{Access: access, Path: path, Err: err}
		}
	}
	return p.resolve(cwd, path, access, p.lexical)
}

func (p *Paths) resolve(cwd, path string, access Access, lexical bool) (Place, error) {
	abs, err := p.absolute(cwd, path)
	if err != nil {
		return Place{}, &PathError{Access: access, Path: path, Err: err}
	}
	named, real, exists := filepath.Clean(abs), filepath.Clean(abs), false
	if !lexical {
		if real, exists, err = realPath(abs); err != nil {
			// Whether there is a loop or a locked folder outside is nobody's business.
			if _, refused := p.judge(path, named, named, access); refused != nil {
				return Place{}, refused
			}
			return Place{}, &PathError{Access: access, Path: path, Err: err}
		}
	}
	place, err := p.judge(path, named, real, access)
	place.Exists = exists
	return place, err
}

// judge holds a path against the policy.
func (p *Paths) judge(given, named, real string, access Access) (Place, error) {
	roots, denied := p.read, p.deny.holds(real) || p.deny.holds(named)
	if access == Write {
		roots = p.write
		denied = denied || p.denyWrite.holds(real) || p.denyWrite.holds(named)
	}
	root := ""
	for _, r := range roots {
		if inside(r, real) && len(r) > len(root) {
			root = r
		}
	}
	if root == "" || denied {
		return Place{}, &PathError{Access: access, Path: given, Real: real, Roots: slices.Clone(roots), Denied: root != ""}
	}
	return Place{Path: named, Real: real, Root: root, access: access, policy: p}, nil
}

// maxLinks is how many links one path may go through, as in the kernel.
const maxLinks = 40

// realPath resolves every link of an absolute path as the kernel does, and goes on
// by name from where nothing exists.
func realPath(path string) (real string, exists bool, err error) {
	volume := filepath.VolumeName(path)
	real = volume + string(filepath.Separator)
	todo := parts(path[len(volume):])
	missing, links := 0, 0 // the last so many parts of real do not exist
	for len(todo) > 0 {
		part := todo[0]
		todo = todo[1:]
		if part == ".." {
			real = filepath.Dir(real)
			missing = max(0, missing-1)
			continue
		}
		next := filepath.Join(real, part)
		if missing > 0 {
			real, missing = next, missing+1
			continue
		}
		info, err := os.Lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			missing = 1
		case err != nil:
			return "", false, err
		case info.Mode()&fs.ModeSymlink != 0:
			if links++; links > maxLinks {
				return "", false, &fs.PathError{Op: "resolve", Path: path, Err: syscall.ELOOP}
			}
			target, err := os.Readlink(next)
			if err != nil {
				return "", false, err
			}
			if filepath.IsAbs(target) {
				volume = filepath.VolumeName(target)
				real = volume + string(filepath.Separator)
				target = target[len(volume):]
			}
			todo = append(parts(target), todo...)
			continue
		}
		real = next
	}
	return real, missing == 0, nil
}

// parts splits a path, leaving out what means nothing.
func parts(path string) []string {
	return slices.DeleteFunc(strings.Split(filepath.ToSlash(path), "/"), func(s string) bool { return s == "" || s == "." })
}
