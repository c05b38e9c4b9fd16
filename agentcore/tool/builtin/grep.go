package builtin

import (
	"context"
	_ "embed"
	"fmt"
	"regexp"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/stophook/stophook/agentcore/tool"
)

//go:embed grep.md
var grepText string

// Modes of grep.
const (
	grepContent = "content"
	grepFiles   = "files"
	grepCount   = "count"
)

// grepHead is how many lines or files one call gives.
const grepHead = 200

type grepInput struct {
	Pattern    string `json:"pattern" jsonschema:"the regular expression (RE2)"`
	Path       string `json:"path,omitempty" jsonschema:"the file or folder to search"`
	Glob       string `json:"glob,omitempty" jsonschema:"only files whose path matches"`
	OutputMode string `json:"output_mode,omitempty" jsonschema:"what to give: content (the default), files or count"`
	Context    int    `json:"context,omitempty" jsonschema:"lines to show before and after each match"`
	IgnoreCase bool   `json:"ignore_case,omitempty" jsonschema:"capitals make no difference"`
	HeadLimit  int    `json:"head_limit,omitempty" jsonschema:"how many lines or files to give"`
}

// GrepOutput is the structured result of grep.
type GrepOutput struct {
	Mode       string `json:"mode"`
	NumFiles   int    `json:"numFiles"`   // that match
	NumMatches int    `json:"numMatches"` // lines that match; counted as far as was searched
	Truncated  bool   `json:"truncated"`
}

// NewGrep makes the grep tool.
func NewGrep(opts Options) tool.Tool {
	return tool.MustNew("grep", grepText,
		func(ctx context.Context, call *tool.Call, in grepInput) (*tool.Result, error) {
			return grep(ctx, call, in, opts)
		},
		tool.ReadOnly(), tool.Subject(tool.SubjectPath, "path", "."),
		tool.Constrain(func(s *jsonschema.Schema) {
			s.Properties["pattern"].MinLength = jsonschema.Ptr(1)
			s.Properties["output_mode"].Enum = []any{grepContent, grepFiles, grepCount}
			s.Properties["context"].Minimum = jsonschema.Ptr(0.0)
			s.Properties["context"].Maximum = jsonschema.Ptr(20.0)
			atLeast1(s, 5000, "head_limit")
		}))
}

func grep(ctx context.Context, call *tool.Call, in grepInput, opts Options) (*tool.Result, error) {
	if in.Path == "" {
		in.Path = "."
	}
	fail := func(err error) (*tool.Result, error) { return failed(ctx, call.Env, in.Path, "search", err) }
	re, bad := compilePattern(in.Pattern, in.IgnoreCase)
	if bad != nil {
		return bad, nil
	}
	filter := strings.TrimPrefix(in.Glob, "./")
	if !doublestar.ValidatePattern(filter) {
		return tool.Errorf("glob %q is no pattern: a [ or { is not closed, or a \\ ends it.", in.Glob), nil
	}
	t, err := resolve(ctx, call.Env, in.Path, tool.Read)
	if err != nil {
		return fail(err)
	}
	info, err := t.stat(ctx)
	if err != nil {
		return fail(err)
	}
	s := newScan(re, in)
	if !info.dir {
		err = s.file(ctx, t.shown(""), func() (readCloser, error) { return t.open(ctx) }, opts.maxFile())
	} else {
		s.unread, err = search(ctx, t, opts, func(e entry) error {
			if e.dir || filter != "" && !globFits(filter, e.rel) {
				return nil
			}
			return s.file(ctx, t.shown(e.rel), e.open, opts.maxFile())
		})
	}
	if err != nil {
		return fail(err)
	}
	return s.result(), nil
}

// globFits matches a name in every folder if the pattern has no slash.
func globFits(pattern, rel string) bool {
	if !strings.Contains(pattern, "/") {
		rel = lastName(rel)
	}
	return doublestar.MatchUnvalidated(pattern, rel)
}

func compilePattern(pattern string, ignoreCase bool) (*regexp.Regexp, *tool.Result) {
	flags := "(?m)"
	if ignoreCase {
		flags = "(?mi)"
	}
	re, err := regexp.Compile(flags + pattern)
	if err == nil {
		return re, nil
	}
	if _, plain := regexp.Compile(pattern); plain != nil {
		err = plain // without flags that nobody wrote
	}
	text := fmt.Sprintf("pattern is no regular expression (RE2): %v.", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	switch {
	case strings.Contains(pattern, "(?=") || strings.Contains(pattern, "(?!") || strings.Contains(pattern, "(?<"):
		text += " RE2 has no lookaheads and lookbehinds: search for the plain part, and look at the results."
	default:
		text += fmt.Sprintf(" To search for this very text write %s", regexp.QuoteMeta(pattern))
	}
	return nil, tool.Errorf("%s", text)
}
