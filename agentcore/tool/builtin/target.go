package builtin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/stophook/stophook/agentcore/tool"
	"github.com/stophook/stophook/internal/nearest"
)

type (
	schemaRef  = *jsonschema.Schema
	readCloser = io.ReadCloser
)

// target is a file or folder that a call names and may use: on this machine by its
// place, elsewhere through the files of the context.
type target struct {
	env   *tool.Env
	given string
	place tool.Place
	local bool
}

// entry is what lies below a target.
type entry struct {
	rel  string // with slashes
	dir  bool
	link bool
	size int64
	mod  time.Time // zero where it is not known
	err  error     // a folder that could not be read
	open func() (readCloser, error)
}

func resolve(ctx context.Context, env *tool.Env, given string, access tool.Access) (*target, error) {
	place, err := env.Resolve(ctx, given, access)
	if err != nil {
		return nil, err
	}
	return &target{env: env, given: given, place: place, local: env.Local()}, nil
}

// stat tells whether the target is a folder, and its size.
func (t *target) stat(ctx context.Context) (entry, error) {
	if t.local {
		info, err := t.place.Stat()
		if err != nil {
			return entry{}, err
		}
		return entry{dir: info.IsDir(), size: info.Size(), mod: info.ModTime()}, nil
	}
	name := t.place.Real
	if name == path.Dir(name) {
		return entry{dir: true}, nil
	}
	infos, err := t.env.Exec.ListFiles(ctx, t.env.Handle, path.Dir(name))
	if err != nil {
		return entry{}, err
	}
	for _, info := range infos {
		if info.Name == path.Base(name) {
			return entry{dir: info.Dir, size: info.Size}, nil
		}
	}
	return entry{}, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
}

// open opens a file for reading.
func (t *target) open(ctx context.Context) (readCloser, error) {
	if t.local {
		return t.place.Open()
	}
	return t.openRemote(ctx, t.place.Real)()
}

func (t *target) openRemote(ctx context.Context, name string) func() (readCloser, error) {
	return func() (readCloser, error) {
		data, err := t.env.Exec.ReadFile(ctx, t.env.Handle, name)
		return io.NopCloser(bytes.NewReader(data)), err
	}
}

var errTooLarge = errors.New("too large")

// readAll reads a file of at most limit bytes.
func readAll(open func() (readCloser, error), limit int64) ([]byte, error) {
	f, err := open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, errTooLarge
	}
	return data, err
}

// write replaces the file.
func (t *target) write(ctx context.Context, data []byte) (created bool, err error) {
	if t.local {
		return t.place.WriteFile(data)
	}
	_, err = t.stat(ctx)
	created = errors.Is(err, fs.ErrNotExist)
	return created, t.env.Exec.WriteFile(ctx, t.env.Handle, t.place.Real, data)
}

// walk visits what lies below a folder, see [tool.Place.Walk].
func (t *target) walk(ctx context.Context, visit func(entry) error) error {
	if !t.local {
		err := t.walkRemote(ctx, t.place.Real, "", visit)
		if errors.Is(err, fs.SkipAll) {
			return nil
		}
		return err
	}
	return t.place.Walk(ctx, func(e tool.Entry) error {
		return visit(entry{
			rel: e.Rel, dir: e.Info.IsDir(), link: e.Link, size: e.Info.Size(), mod: e.Info.ModTime(), err: e.Err,
			open: func() (readCloser, error) { return e.Open() },
		})
	})
}

func (t *target) walkRemote(ctx context.Context, dir, rel string, visit func(entry) error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	infos, err := t.env.Exec.ListFiles(ctx, t.env.Handle, dir)
	if err != nil {
		return err
	}
	for _, info := range infos {
		full := path.Join(dir, info.Name)
		if _, err := t.env.Resolve(ctx, full, tool.Read); err != nil {
			continue
		}
		e := entry{rel: path.Join(rel, info.Name), dir: info.Dir, size: info.Size, open: t.openRemote(ctx, full)}
		err := visit(e)
		if info.Dir && err == nil {
			if err = t.walkRemote(ctx, full, e.rel, visit); err != nil && ctx.Err() == nil && !errors.Is(err, fs.SkipAll) {
				e.err = err
				err = visit(e)
			}
		}
		if err != nil && !(info.Dir && errors.Is(err, fs.SkipDir)) {
			return err
		}
	}
	return nil
}

// shown is how results name what lies at rel below the target: from the working
// directory where it is inside, so that the name can be used in the next call.
func (t *target) shown(rel string) string {
	full := filepath.Join(t.place.Path, filepath.FromSlash(rel))
	if below, err := filepath.Rel(t.env.Handle.CWD, full); err == nil && below != ".." && !strings.HasPrefix(below, ".."+string(filepath.Separator)) {
		return filepath.ToSlash(below)
	}
	return filepath.ToSlash(full)
}

// failed turns an error about a path into a result, or gives it back when it is
// that of ctx.
func failed(ctx context.Context, env *tool.Env, given, doing string, err error) (*tool.Result, error) {
	var refused *tool.PathError
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.As(err, &refused) && refused.Err == nil:
		return tool.Errorf("%v", refused), nil
	case errors.Is(err, syscall.ELOOP):
		return tool.Errorf("%s: its symbolic links lead in a circle.", given), nil
	case errors.Is(err, tool.ErrChanged):
		return tool.Errorf("%s: %v", given, tool.ErrChanged), nil
	case errors.Is(err, fs.ErrNotExist):
		return tool.Errorf("%s does not exist.%s", given, suggestion(ctx, env, given)), nil
	case errors.Is(err, syscall.ENOTDIR):
		return tool.Errorf("%s: a part of the path before the last is a file, not a folder.", given), nil
	case errors.Is(err, tool.ErrNotRegular):
		return tool.Errorf("%s is a device, a pipe or the like, and no regular file.", given), nil
	case errors.Is(err, fs.ErrPermission):
		return tool.Errorf("%s: the operating system does not permit to %s it.", given, doing), nil
	}
	if refused != nil {
		return tool.Errorf("%v", refused), nil
	}
	return tool.Errorf("Could not %s %s: %v", doing, given, bare(err)), nil
}

// bare leaves the path out of an error: the message names it already.
func bare(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	var le *os.LinkError
	if errors.As(err, &le) {
		return le.Err
	}
	return err
}

// suggestion names what was probably meant by a path that does not exist.
func suggestion(ctx context.Context, env *tool.Env, given string) string {
	dir, base := filepath.Split(filepath.Clean(given))
	if dir == "" {
		dir = "."
	}
	parent, err := resolve(ctx, env, dir, tool.Read)
	if err != nil {
		return ""
	}
	var names []string
	err = parent.walk(ctx, func(e entry) error {
		names = append(names, e.rel)
		if e.dir {
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		return fmt.Sprintf(" Nor does its folder %s. Relative paths start at %s.", filepath.Clean(dir), env.Handle.CWD)
	}
	if near := similarName(base, names); near != "" {
		return fmt.Sprintf(" Did you mean %s?", filepath.ToSlash(filepath.Join(dir, near)))
	}
	if filepath.IsAbs(given) {
		return ""
	}
	return fmt.Sprintf(" Relative paths start at %s.", env.Handle.CWD)
}

// similarName finds a name with other capitals, a slip, or another extension.
func similarName(base string, names []string) string {
	if i := slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, base) }); i >= 0 {
		return names[i]
	}
	if near := nearest.Word(base, names); near != "" {
		return near
	}
	stem := func(n string) string { return strings.TrimSuffix(n, path.Ext(n)) }
	if i := slices.IndexFunc(names, func(n string) bool { return stem(n) != "" && strings.EqualFold(stem(n), stem(base)) }); i >= 0 {
		return names[i]
	}
	return ""
}

// counted is a number with its word: 1 line, 2 lines.
func counted(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
