package builtin

import (
	"context"
	_ "embed"
	"fmt"
	"io/fs"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/stophook/stophook/agentcore/tool"
)

//go:embed list_files.md
var listFilesText string

// listLimit is how many entries one call lists.
const listLimit = 500

type listFilesInput struct {
	Path  string `json:"path,omitempty" jsonschema:"the folder to list"`
	Depth int    `json:"depth,omitempty" jsonschema:"how many levels to list"`
}

// NewListFiles makes the list_files tool.
func NewListFiles(opts Options) tool.Tool {
	return tool.MustNew("list_files", listFilesText,
		func(ctx context.Context, call *tool.Call, in listFilesInput) (*tool.Result, error) {
			return listFiles(ctx, call, in, opts)
		},
		tool.ReadOnly(), tool.Subject(tool.SubjectPath, "path", "."),
		tool.Constrain(func(s *jsonschema.Schema) { atLeast1(s, 5, "depth") }))
}

func listFiles(ctx context.Context, call *tool.Call, in listFilesInput, opts Options) (*tool.Result, error) {
	if in.Path == "" {
		in.Path = "."
	}
	depth := max(in.Depth, 1)
	fail := func(err error) (*tool.Result, error) { return failed(ctx, call.Env, in.Path, "list", err) }
	t, err := resolve(ctx, call.Env, in.Path, tool.Read)
	if err != nil {
		return fail(err)
	}
	info, err := t.stat(ctx)
	if err != nil {
		return fail(err)
	}
	if !info.dir {
		return tool.Errorf("%s is a file of %d bytes, and no folder: use read_file.", in.Path, info.size), nil
	}
	var ignore ignorer
	if depth > 1 && !opts.NoIgnore {
		ignore.above(ctx, t)
	}
	var b strings.Builder
	n, more, unread := 0, 0, 0
	err = t.walk(ctx, func(e entry) error {
		if e.err != nil {
			unread++
			return nil
		}
		level := strings.Count(e.rel, "/") + 1
		hidden := lastName(e.rel) == ".git" || !opts.NoIgnore && ignore.ignores(e.rel, e.dir)
		switch {
		case level > 1 && hidden:
		case n == listLimit:
			more++
		default:
			n++
			b.WriteString(listed(e))
		}
		if e.dir && (level >= depth || hidden) {
			return fs.SkipDir
		}
		if e.dir && !opts.NoIgnore {
			ignore.enter(ctx, t, e.rel)
		}
		return nil
	})
	if err != nil {
		return fail(err)
	}
	text := strings.TrimSuffix(b.String(), "\n")
	if n == 0 {
		text = in.Path + " is empty."
	}
	if more > 0 {
		text += fmt.Sprintf("\n[%d more are not shown; list a folder below, or use glob]", more)
	}
	return &tool.Result{Text: text + unreadNote(unread)}, nil
}

// listed is the line of an entry.
func listed(e entry) string {
	link := ""
	if e.link {
		link = " (link)"
	}
	if e.dir {
		return tool.Safe(e.rel) + "/" + link + "\n"
	}
	return fmt.Sprintf("%s%s\t%d bytes\n", tool.Safe(e.rel), link, e.size)
}
