package builtin

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/stophook/stophook/agentcore/tool"
)

//go:embed edit.md
var editText string

type editInput struct {
	Path       string `json:"path" jsonschema:"the file to change"`
	OldString  string `json:"old_string" jsonschema:"the exact text to replace"`
	NewString  string `json:"new_string" jsonschema:"the text that takes its place"`
	ReplaceAll bool   `json:"replace_all,omitempty" jsonschema:"replace every occurrence, not just the only one"`
}

// EditOutput is the structured result of edit.
type EditOutput struct {
	FilePath     string `json:"filePath"`
	OldString    string `json:"oldString"`
	NewString    string `json:"newString"`
	ReplaceAll   bool   `json:"replaceAll"`
	Replacements int    `json:"replacements"`
}

// NewEdit makes the edit tool (RT-34).
func NewEdit(opts Options) tool.Tool {
	return tool.MustNew("edit", editText,
		func(ctx context.Context, call *tool.Call, in editInput) (*tool.Result, error) {
			return edit(ctx, call, in, opts.maxFile())
		},
		tool.Edits(), tool.Subject(tool.SubjectPath, "path", ""),
		tool.Constrain(func(s *jsonschema.Schema) { s.Properties["path"].MinLength = jsonschema.Ptr(1) }))
}

func edit(ctx context.Context, call *tool.Call, in editInput, maxFile int64) (*tool.Result, error) {
	fail := func(err error) (*tool.Result, error) { return failed(ctx, call.Env, in.Path, "edit", err) }
	t, err := resolve(ctx, call.Env, in.Path, tool.Write)
	if err != nil {
		return fail(err)
	}
	info, err := t.stat(ctx)
	if err != nil {
		return fail(err)
	}
	if info.dir {
		return tool.Errorf("%s is a folder.", in.Path), nil
	}
	data, kind, err := readText(func() (readCloser, error) { return t.open(ctx) }, maxFile)
	if errors.Is(err, errTooLarge) {
		return tool.Errorf("%s is larger than %d bytes, too large to edit: use the shell.", in.Path, maxFile), nil
	}
	if err != nil {
		return fail(err)
	}
	if kind != "" {
		return tool.Errorf("%s is %s, and not text; nothing was changed.", in.Path, kind), nil
	}
	r, problem := replace(string(data), in.OldString, in.NewString, in.ReplaceAll)
	if problem != "" {
		return tool.Errorf("%s: nothing was changed. %s", in.Path, strings.TrimSuffix(problem, "\n")), nil
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if _, err := t.write(ctx, []byte(r.text)); err != nil {
		return fail(err)
	}
	return &tool.Result{
		Text: fmt.Sprintf("Edited %s: %s.\n%s", in.Path, r.summary(), r.excerpt()),
		Structured: EditOutput{FilePath: t.place.Path, OldString: in.OldString, NewString: in.NewString,
			ReplaceAll: in.ReplaceAll, Replacements: len(r.at)},
	}, nil
}

// replacement is a text after an edit.
type replacement struct {
	text    string
	at      []int // where in it the new texts begin
	newSize int
}

// replace changes the only occurrence of old, or all of them; problem says in whole
// sentences why it could not be done.
//
// A file whose every line ends in CRLF gets that in the new text as well, and is
// searched as if old had it, since nobody sees it in what read_file shows. A file
// of both kinds is searched for old as it is, then with CRLF.
func replace(text, old, new string, all bool) (r replacement, problem string) {
	switch {
	case old == "":
		return r, "old_string is empty. To write a new file use write_file."
	case old == new:
		return r, "old_string and new_string are the same."
	}
	if crlf := strings.Count(text, "\r\n"); crlf > 0 {
		if crlf == strings.Count(text, "\n") || !strings.Contains(text, old) {
			old, new = withCRLF(old), withCRLF(new)
		}
		if old == new {
			return r, "old_string and new_string differ in their line ends only, and the file keeps its own."
		}
	}
	found := occurrences(text, old, !all)
	switch {
	case len(found) == 0:
		return r, "old_string is not in the file." + nearMiss(text, old)
	case len(found) > 1 && !all:
		return r, fmt.Sprintf("old_string is there %d times, beginning at lines %s. Add lines around the one that you mean, or set replace_all.",
			len(found), lineList(text, found))
	}
	var b strings.Builder
	b.Grow(len(text) + len(found)*(len(new)-len(old)))
	end := 0
	for _, at := range found {
		b.WriteString(text[end:at])
		r.at = append(r.at, b.Len())
		b.WriteString(new)
		end = at + len(old)
	}
	b.WriteString(text[end:])
	r.text, r.newSize = b.String(), len(new)
	return r, ""
}

func withCRLF(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n")
}

// occurrences finds where old is. Those that overlap are counted where one place
// is wanted: in aaa there are two of aa, and neither is the only one.
func occurrences(text, old string, overlapping bool) []int {
	var found []int
	for at := 0; ; {
		i := strings.Index(text[at:], old)
		if i < 0 {
			return found
		}
		found = append(found, at+i)
		at += i + len(old)
		if overlapping {
			at = found[len(found)-1] + 1
		}
	}
}

// maxListed is how many line numbers a message lists.
const maxListed = 10

func lineList(text string, at []int) string {
	var lines []string
	for i, pos := range at {
		if i == maxListed {
			lines = append(lines, "…")
			break
		}
		lines = append(lines, fmt.Sprint(lineOf(text, pos)))
	}
	return strings.Join(lines, ", ")
}

// lineOf is the number of the line that a position is in, from 1.
func lineOf(text string, pos int) int { return 1 + strings.Count(text[:pos], "\n") }

func (r replacement) summary() string {
	if len(r.at) == 1 {
		return fmt.Sprintf("1 replacement, at line %d", lineOf(r.text, r.at[0]))
	}
	return fmt.Sprintf("%d replacements, at lines %s", len(r.at), lineList(r.text, r.at))
}

// Bounds of the excerpt after an edit.
const (
	excerptAround = 3
	excerptLines  = 40
)

// excerpt shows the first new text with the lines around it, numbered.
func (r replacement) excerpt() string {
	lines := strings.Split(strings.TrimSuffix(r.text, "\n"), "\n")
	first := max(0, lineOf(r.text, r.at[0])-1-excerptAround)
	last := min(len(lines), lineOf(r.text, r.at[0]+r.newSize)+excerptAround)
	var b strings.Builder
	for i := first; i < last; i++ {
		if i-first == excerptLines {
			fmt.Fprintf(&b, "[… %d more lines]\n", last-i)
			break
		}
		fmt.Fprintf(&b, "%6d\t%s\n", i+1, tool.Safe(firstRunes(strings.TrimSuffix(lines[i], "\r"), 300)))
	}
	return b.String()
}
