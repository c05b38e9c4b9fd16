package builtin

import (
	"context"
	_ "embed"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/stophook/stophook/agentcore/tool"
)

//go:embed glob.md
var globText string

// globLimit is how many files one call lists.
const globLimit = 100

type globInput struct {
	Pattern string `json:"pattern" jsonschema:"the pattern that paths must match"`
	Path    string `json:"path,omitempty" jsonschema:"the folder to search in"`
}

// GlobOutput is the structured result of glob.
type GlobOutput struct {
	Filenames []string `json:"filenames"`
	NumFiles  int      `json:"numFiles"` // found, listed or not
	Truncated bool     `json:"truncated"`
}

// NewGlob makes the glob tool.
func NewGlob(opts Options) tool.Tool {
	return tool.MustNew("glob", globText,
		func(ctx context.Context, call *tool.Call, in globInput) (*tool.Result, error) {
			return glob(ctx, call, in, opts)
		},
		tool.ReadOnly(), tool.Subject(tool.SubjectPath, "path", "."),
		tool.Constrain(func(s *jsonschema.Schema) { s.Properties["pattern"].MinLength = jsonschema.Ptr(1) }))
}

func glob(ctx context.Context, call *tool.Call, in globInput, opts Options) (*tool.Result, error) {
	dir, pattern := splitPattern(in.Path, in.Pattern)
	fail := func(err error) (*tool.Result, error) { return failed(ctx, call.Env, dir, "search", err) }
	if !doublestar.ValidatePattern(pattern) {
		return tool.Errorf("%q is no pattern: a [ or { is not closed, or a \\ ends it. Put \\ before a character that stands for itself.", in.Pattern), nil
	}
	if pattern == ".." || strings.HasPrefix(pattern, "../") {
		return tool.Errorf("A pattern cannot lead out of the folder that is searched: give the folder as path."), nil
	}
	t, err := resolve(ctx, call.Env, dir, tool.Read)
	if err != nil {
		return fail(err)
	}
	if info, err := t.stat(ctx); err != nil {
		return fail(err)
	} else if !info.dir {
		return tool.Errorf("%s is a file, and no folder to search in.", dir), nil
	}
	var found []entry
	unread, err := search(ctx, t, opts, func(e entry) error {
		if !e.dir && doublestar.MatchUnvalidated(pattern, e.rel) {
			found = append(found, e)
		}
		return nil
	})
	if err != nil {
		return fail(err)
	}
	slices.SortStableFunc(found, func(a, b entry) int {
		if c := b.mod.Compare(a.mod); c != 0 {
			return c
		}
		return strings.Compare(a.rel, b.rel)
	})
	return globResult(t, in.Pattern, pattern, found, unread), nil
}

func globResult(t *target, given, pattern string, found []entry, unread int) *tool.Result {
	out := GlobOutput{Filenames: []string{}, NumFiles: len(found)}
	for _, e := range found[:min(len(found), globLimit)] {
		out.Filenames = append(out.Filenames, t.shown(e.rel))
	}
	out.Truncated = len(found) > globLimit
	text := strings.Join(out.Filenames, "\n")
	switch {
	case len(found) == 0 && !strings.Contains(pattern, "/"):
		text = fmt.Sprintf("No file matches %s in this folder itself. To search below it, too: **/%s", given, pattern)
	case len(found) == 0:
		text = "No file matches " + given + "."
	case out.Truncated:
		text += fmt.Sprintf("\n[%d of %d files are shown, those changed last; narrow the pattern down for others]", globLimit, len(found))
	}
	return &tool.Result{Text: text + unreadNote(unread), Structured: out}
}

// splitPattern moves the part of an absolute pattern that has no wildcards into the
// folder to search in.
func splitPattern(dir, pattern string) (string, string) {
	pattern = strings.TrimPrefix(filepath.ToSlash(pattern), "./")
	if dir == "" {
		dir = "."
	}
	if filepath.IsAbs(pattern) || strings.HasPrefix(pattern, "~/") {
		return doublestar.SplitPattern(pattern)
	}
	return dir, pattern
}

// search walks a folder as glob and grep do: without .git, without what .gitignore
// files name, and with links into folders left alone. unread counts folders that
// could not be read.
func search(ctx context.Context, t *target, opts Options, visit func(entry) error) (unread int, err error) {
	var ignore ignorer
	if !opts.NoIgnore {
		ignore.above(ctx, t)
	}
	err = t.walk(ctx, func(e entry) error {
		switch {
		case e.err != nil:
			unread++
			return nil
		case e.dir && lastName(e.rel) == ".git":
			return fs.SkipDir
		case !opts.NoIgnore && ignore.ignores(e.rel, e.dir):
			if e.dir {
				return fs.SkipDir
			}
			return nil
		case e.dir && e.link:
			return nil
		}
		if e.dir && !opts.NoIgnore {
			ignore.enter(ctx, t, e.rel)
		}
		return visit(e)
	})
	return unread, err
}

func lastName(rel string) string { return rel[strings.LastIndexByte(rel, '/')+1:] }

func unreadNote(n int) string {
	if n == 0 {
		return ""
	}
	return "\n[" + counted(n, "folder") + " could not be read]"
}
