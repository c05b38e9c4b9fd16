package builtin

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/stophook/stophook/agentcore/tool"
)

//go:embed write_file.md
var writeFileText string

type writeFileInput struct {
	Path    string `json:"path" jsonschema:"the file to write"`
	Content string `json:"content" jsonschema:"the whole content"`
}

// WriteOutput is the structured result of write_file.
type WriteOutput struct {
	Type     string `json:"type"` // create or update
	FilePath string `json:"filePath"`
	Lines    int    `json:"lines"`
	Bytes    int    `json:"bytes"`
}

// NewWriteFile makes the write_file tool.
func NewWriteFile(Options) tool.Tool {
	return tool.MustNew("write_file", writeFileText, writeFile, tool.Edits(),
		tool.Subject(tool.SubjectPath, "path", ""),
		tool.Constrain(func(s *jsonschema.Schema) { s.Properties["path"].MinLength = jsonschema.Ptr(1) }))
}

func writeFile(ctx context.Context, call *tool.Call, in writeFileInput) (*tool.Result, error) {
	fail := func(err error) (*tool.Result, error) { return failed(ctx, call.Env, in.Path, "write", err) }
	t, err := resolve(ctx, call.Env, in.Path, tool.Write)
	if err != nil {
		return fail(err)
	}
	info, err := t.stat(ctx)
	switch {
	case err == nil && info.dir, strings.HasSuffix(in.Path, "/"):
		return tool.Errorf("%s is a folder: give the path of a file in it.", in.Path), nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fail(err)
	}
	created, err := t.write(ctx, []byte(in.Content))
	if err != nil {
		return fail(err)
	}
	out := WriteOutput{Type: "update", FilePath: t.place.Path, Lines: countLines(in.Content), Bytes: len(in.Content)}
	verb := "Updated"
	if created {
		out.Type, verb = "create", "Created"
	}
	return &tool.Result{Text: fmt.Sprintf("%s %s: %s, %s.", verb, in.Path, counted(out.Lines, "line"), counted(out.Bytes, "byte")), Structured: out}, nil
}

// countLines counts an unfinished last line, too.
func countLines(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}
