package check

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/stophook/stophook/internal/term"
)

// WriteText writes the findings as compilers do, `file:line:col: error: message
// [kind]`, each with its line, a caret and what to do, and a summary at the end.
func (r *Report) WriteText(w io.Writer, s term.Style) error {
	var b strings.Builder
	for i := range r.Findings {
		r.Findings[i].print(&b, s)
	}
	if len(r.Findings) > 0 {
		b.WriteByte('\n')
	}
	b.WriteString(r.summary(s) + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func (f *Finding) print(b *strings.Builder, s term.Style) {
	paint := s.Bad
	if f.Severity == SeverityWarning {
		paint = s.Warn
	}
	fmt.Fprintf(b, "%s: %s: %s %s\n", s.Bold(term.OneLine(f.place(), 400)), paint(f.Severity), term.OneLine(f.Message, 1000), s.Dim("["+f.Kind+"]"))
	if text := strings.TrimRight(term.Visible(strings.ReplaceAll(f.Text, "\t", "    ")), " "); strings.TrimSpace(text) != "" {
		fmt.Fprintf(b, "%s %s\n", s.Dim(fmt.Sprintf("%6d |", f.Line)), cut(text, 160))
		if pad, ok := f.caret(); ok {
			fmt.Fprintf(b, "%s %s\n", s.Dim("       |"), pad+paint("^"))
		}
	}
	if f.Hint != "" {
		b.WriteString("  " + s.Dim("hint:") + " " + strings.ReplaceAll(term.Visible(f.Hint), "\n", "\n  ") + "\n")
	}
}

func (r *Report) summary(s term.Style) string {
	seen := fmt.Sprintf("%s with %s", term.Plural(r.Files, "file"), term.Plural(r.Rules, "rule"))
	switch {
	case r.Errors > 0 && r.Warnings > 0:
		return fmt.Sprintf("%s: %s, %s", seen, s.Bad(term.Plural(r.Errors, "error")), s.Warn(term.Plural(r.Warnings, "warning")))
	case r.Errors > 0:
		return seen + ": " + s.Bad(term.Plural(r.Errors, "error"))
	case r.Warnings > 0:
		return seen + ": " + s.Warn(term.Plural(r.Warnings, "warning"))
	}
	return seen + ": " + s.Good("nothing found")
}

// place is file:line:col, as far as it is known.
func (f *Finding) place() string {
	p := f.File
	if f.Line > 0 {
		p += fmt.Sprintf(":%d", f.Line)
		if f.Col > 0 {
			p += fmt.Sprintf(":%d", f.Col)
		}
	}
	return p
}

// caret is the space before the column, when the line is shown that far.
func (f *Finding) caret() (string, bool) {
	if f.Col < 1 || f.Col > len(f.Text)+1 {
		return "", false
	}
	n := utf8.RuneCountInString(strings.ReplaceAll(f.Text[:f.Col-1], "\t", "    "))
	return strings.Repeat(" ", n), n < 160
}

// cut shortens a line without touching the blanks at its beginning.
func cut(s string, n int) string {
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	return string(runes[:n-1]) + "…"
}
