package builtin

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/stophook/stophook/agentcore/tool"
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

// readText reads a text file of at most limit bytes. Of a file that is no text it
// gives the beginning, and what kind it is.
func readText(open func() (readCloser, error), limit int64) (data []byte, kind string, err error) {
	f, err := open()
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = f.Close() }()
	start := make([]byte, sniffLen)
	n, err := io.ReadFull(f, start)
	if kind := binaryKind(start[:n]); kind != "" {
		return start[:n], kind, nil
	}
	ended := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	switch {
	case int64(n) > limit:
		return nil, "", errTooLarge
	case ended:
		return start[:n], "", nil
	case err != nil:
		return nil, "", err
	}
	rest, err := io.ReadAll(io.LimitReader(f, limit+1-int64(n)))
	if err == nil && int64(n+len(rest)) > limit {
		return nil, "", errTooLarge
	}
	return append(start, rest...), "", err
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
