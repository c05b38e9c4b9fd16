package builtin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/stophook/stophook/agentcore/tool"
	"github.com/stophook/stophook/internal/nearest"
)

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
