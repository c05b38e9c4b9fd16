package check

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/stophook/stophook/policy"
)

// A file is one policy or test file.
type file struct {
	name   string
	target int
	src    []byte
	lines  []string
	test   bool
	module *ast.Module // nil when the file is empty or nothing of it could be parsed
	// cut is the text of statements that do not parse. The module is what is left
	// without them, so that names in it are no faults elsewhere.
	cut string
}

// readFiles reads and parses the files of all targets, and reports what does not
// parse.
func (c *checker) readFiles() {
	for i := range c.targets {
		t := &c.targets[i]
		t.Each(true, func(p string, src []byte, err error) {
			f := &file{name: path.Join(t.Root, p), target: i, src: src, test: strings.HasSuffix(p, "_test.rego")}
			if err != nil {
				c.add(f, Finding{Kind: policy.KindUnreadable, Message: "cannot be read: " + cause(err), Hint: "make it readable, or remove it"})
				return
			}
			f.lines = strings.Split(strings.TrimPrefix(string(src), "\ufeff"), "\n")
			for n, l := range f.lines {
				f.lines[n] = strings.TrimSuffix(l, "\r")
			}
			c.files = append(c.files, f)
			c.parse(f)
		})
	}
}

func cause(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return err.Error()
}

// line is the text of a line, from 1.
func (f *file) line(n int) string {
	if n < 1 || n > len(f.lines) {
		return ""
	}
	return f.lines[n-1]
}

// maxRecoveries bounds how many broken statements of one file are told.
const maxRecoveries = 20

// parse parses a file. OPA's parser stops at the first fault; to find those behind
// it, the statement at fault is blanked out and the rest is parsed again.
func (c *checker) parse(f *file) {
	src := bytes.Clone(f.src)
	for range maxRecoveries {
		m, errs := policy.ParsePolicy(f.name, string(src))
		if len(errs) == 0 {
			f.module = m
			return
		}
		from, to := f.blame(parseKind(errs[0]))
		c.addError(f, errs[0])
		if errs[0].Kind == policy.KindRegoV0 {
			return
		}
		text, ok := blank(src, from, to)
		if !ok {
			return
		}
		f.cut += text
	}
}

// parseKind tells faults of METADATA from those of Rego.
func parseKind(e *policy.PolicyError) *policy.PolicyError {
	e.Message = strings.Replace(e.Message, "rego_parse_error: ", "", 1)
	switch {
	case e.Kind == policy.KindRegoV0:
	case e.Message == "empty module":
		e.Message, e.Hint = "this file holds no policy", "begin it with a package line, or remove it"
	case strings.Contains(e.Message, "annotation scope"):
		e.Kind = KindMetadataMisplaced
		e.Hint = "METADATA describe the statement right below them; those of a rule stand directly above its package line"
	case strings.Contains(e.Message, "METADATA") || strings.Contains(e.Message, "yaml:"):
		e.Kind = policy.KindMetadataInvalid
		e.Hint = "METADATA are YAML in comments: each line begins with `# `, and is indented as YAML wants it"
	default:
		e.Hint = ""
	}
	return e
}

// blame finds the statement at fault, and moves the error to it. The parser
// notices an unfinished statement only at the beginning of the next one, or at the
// end of the file.
func (f *file) blame(e *policy.PolicyError) (from, to int) {
	at := min(max(e.Line, 1), len(f.lines))
	for at > 1 && strings.TrimSpace(f.line(at)) == "" {
		at--
	}
	if f.unclosedAbove(e) {
		for at--; at > 1 && strings.TrimSpace(f.line(at)) == ""; at-- {
		}
	}
	from, to = f.statement(at)
	if e.Line == from && e.Kind == policy.KindParse && from > 1 {
		alone := "package p\n" + strings.Join(f.lines[from-1:to], "\n")
		if _, errs := policy.ParsePolicy(f.name, alone); len(errs) == 0 {
			for at--; at > 1 && strings.TrimSpace(f.line(at)) == ""; at-- {
			}
			from, to = f.statement(at)
			e.Message = "this statement is not complete: " + e.Message
		}
	}
	if at != e.Line {
		e.Line, e.Col = at, 0
	}
	return from, to
}

// unclosedAbove reports whether a bracket was left open on a line above: the
// parser then meets, at the beginning of a line, something that cannot follow.
func (f *file) unclosedAbove(e *policy.PolicyError) bool {
	text := f.line(e.Line)
	first := len(text) - len(strings.TrimLeft(text, " \t")) + 1
	return e.Line > 1 && e.Col == first && strings.Contains(e.Message, `expected "," or`)
}

// statement gives the lines of the top-level statement at line n: from the last
// line at or above it that begins in the first column, to the one before the next.
// Comments that touch are one statement.
func (f *file) statement(n int) (from, to int) {
	n = min(max(n, 1), len(f.lines))
	for from = n; from > 1 && !f.begins(from); from-- {
	}
	for to = from; to < len(f.lines) && (!f.begins(to+1) || to < n); to++ {
	}
	return from, to
}

// begins reports whether a statement can begin at line n.
func (f *file) begins(n int) bool {
	l, above := f.line(n), f.line(n-1)
	switch {
	case l == "" || strings.ContainsRune(" \t})],`", rune(l[0])):
		return false
	case strings.HasPrefix(l, "else"):
		return false
	case l[0] == '#':
		return !strings.HasPrefix(above, "#")
	}
	return true
}

// blank replaces lines by empty ones, so that the rest keeps its line numbers. It
// reports false when there was nothing left to blank.
func blank(src []byte, from, to int) (text string, changed bool) {
	row := 1
	var b strings.Builder
	for i, ch := range src {
		if row >= from && row <= to && ch != '\n' && ch != '\r' {
			if ch != ' ' {
				changed = true
			}
			b.WriteByte(ch)
			src[i] = ' '
		}
		if ch == '\n' {
			b.WriteByte(ch)
			row++
		}
	}
	return b.String(), changed
}

// lost reports whether a name stands in a statement that does not parse.
func (f *file) lost(name string) bool {
	return name != "" && strings.Contains(f.cut, name)
}
