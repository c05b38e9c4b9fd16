package policytest

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/stophook/stophook/internal/term"
)

// TextOptions adjust [Report.WriteText].
type TextOptions struct {
	Style   term.Style
	Verbose bool // list tests that passed, and what print() wrote in them
}

// WriteText writes the report for people: what failed with all that is known, one
// line for each folder, coverage, and a last line that says how it ended.
func (r *Report) WriteText(w io.Writer, opts TextOptions) error {
	p := &textPrinter{w: bufio.NewWriter(w), st: opts.Style, verbose: opts.Verbose}
	for i := range r.Folders {
		p.width = min(60, max(p.width, len(r.Folders[i].Dir)))
	}
	for i := range r.Folders {
		p.folder(&r.Folders[i])
	}
	for _, note := range r.Notes {
		p.printf("%s %s\n", p.st.Dim("note:"), term.Visible(note))
	}
	p.coverage(r.Coverage)
	for _, problem := range r.Problems {
		p.problem(problem)
	}
	p.last(r)
	return p.w.Flush() // a bufio.Writer keeps its first error
}

type textPrinter struct {
	w       *bufio.Writer
	st      term.Style
	verbose bool
	width   int // of the folders' column
}

func (p *textPrinter) printf(format string, args ...any) { fmt.Fprintf(p.w, format, args...) }

// block prints text of any kind, each line behind an indent.
func (p *textPrinter) block(indent, text string) {
	for line := range strings.Lines(strings.TrimRight(text, "\n")) {
		p.printf("%s%s\n", indent, strings.TrimRight(term.Visible(strings.ReplaceAll(line, "\t", "    ")), "\n"))
	}
}

func (p *textPrinter) folder(f *Folder) {
	for i := range f.Tests {
		if t := &f.Tests[i]; p.verbose || !t.Passed() {
			p.test(t)
		}
	}
	state := p.st.Good("ok   ")
	if f.Totals.Failed+f.Totals.Errors > 0 {
		state = p.st.Bad("FAIL ")
	}
	p.printf("%s %-*s  %s  %s\n", state, p.width, term.Visible(f.Dir), counts(f.Totals), seconds(f.Totals.Seconds))
}

func counts(t Totals) string {
	var parts []string
	if t.Rego > 0 {
		parts = append(parts, term.Plural(t.Rego, "test"))
	}
	if t.Cases > 0 {
		parts = append(parts, term.Plural(t.Cases, "case"))
	}
	for _, x := range []struct {
		n    int
		what string
	}{{t.Failed, "failed"}, {t.Errors, "broken"}, {t.Skipped, "skipped"}} {
		if x.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", x.n, x.what))
		}
	}
	if len(parts) == 0 {
		return "no tests"
	}
	return strings.Join(parts, ", ")
}

func seconds(s float64) string {
	d := duration(s)
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", s)
}

func (p *textPrinter) test(t *Test) {
	word := map[string]string{Pass: p.st.Good("PASS"), Fail: p.st.Bad("FAIL"), Error: p.st.Bad("ERROR"), Skip: p.st.Warn("SKIP")}[t.Result]
	p.printf("--- %s: %s (%s)\n", word, term.OneLine(t.Name, 200), seconds(t.Seconds))
	p.detail(t)
	if t.Output != "" {
		p.printf("    %s\n", p.st.Bold("print() wrote"))
		p.block("      ", t.Output)
	}
}

// plain is what print writes, without colours.
func plain(print func(*textPrinter)) string {
	var text strings.Builder
	p := &textPrinter{w: bufio.NewWriter(&text)}
	print(p)
	_ = p.w.Flush() // a Builder never fails
	return text.String()
}

// detail is everything about a test but its name and what it printed.
func (p *textPrinter) detail(t *Test) {
	switch {
	case t.Result == Skip:
		p.printf("    %s:%d: todo_test_ rules do not run\n", term.Visible(t.File), t.Line)
	case t.Case != nil:
		p.caseResult(t)
	case t.Result == Fail:
		p.printf("    %s:%d", term.Visible(t.File), t.Line)
		if t.FailedAt == nil {
			p.printf(": %s", t.Message)
		}
		p.printf("\n")
		p.failedAt(t.FailedAt)
	case t.Result == Error:
		if t.Kind == KindRego {
			p.printf("    %s:%d:\n", term.Visible(t.File), t.Line)
		}
		p.block("    ", t.Message)
	}
}

func (p *textPrinter) failedAt(at *FailedAt) {
	if at == nil {
		return
	}
	p.printf("    %s %s:%d\n", p.st.Bold("not true"), term.Visible(at.File), at.Line)
	p.block("      ", at.Text)
	if len(at.Rules) > 0 {
		p.printf("    %s\n", p.st.Bold("not true in the rules before that, the latest last"))
	}
	for _, place := range at.Rules {
		p.printf("      %s\n        %s\n", p.st.Dim(fmt.Sprintf("%s:%d", term.Visible(place.File), place.Line)), term.Visible(place.Text))
	}
}

func (p *textPrinter) coverage(c *Coverage) {
	if c == nil {
		return
	}
	p.printf("\n%s\n", p.st.Bold("coverage"))
	for _, r := range c.Rules {
		name := fmt.Sprintf("  %-40s", term.OneLine(r.Rule, 40))
		p.printf("%s %5.1f %%  %d of %d lines\n", name, r.Percent, r.Covered, r.Covered+r.Uncovered)
		for _, f := range r.Files {
			for _, s := range f.Missing {
				p.printf("    %s\n", p.st.Warn(term.Visible(f.File)+":"+s.String()))
			}
		}
	}
	p.printf("  %-40s %5.1f %%  %d of %d lines\n", "total", c.Percent, c.Covered, c.Covered+c.Uncovered)
}

// String is 7 or 7-9.
func (s Span) String() string {
	if s.Start == s.End {
		return fmt.Sprint(s.Start)
	}
	return fmt.Sprintf("%d-%d", s.Start, s.End)
}

func (p *textPrinter) problem(x Problem) {
	place := ""
	if x.File != "" {
		place = x.File + ": "
		if x.Line > 0 {
			place = fmt.Sprintf("%s:%d: ", x.File, x.Line)
		}
	}
	p.printf("%s%s\n", term.Visible(place), term.Visible(x.Message))
	if x.Hint != "" {
		p.block("  ", x.Hint)
	}
}

// last is the line that people look for.
func (p *textPrinter) last(r *Report) {
	t := r.Totals
	switch {
	case r.ExitCode() == 2:
		p.printf("%s  %s; %s\n", p.st.Bad("could not run"), term.Plural(len(r.Problems), "problem"), counts(t))
	case r.ExitCode() == 1:
		p.printf("%s  %s  %s\n", p.st.Bad("FAIL"), counts(t), seconds(t.Seconds))
	default:
		p.printf("%s  %s  %s\n", p.st.Good("ok"), counts(t), seconds(t.Seconds))
	}
}

func nonEmpty(parts ...string) []string {
	var kept []string
	for _, part := range parts {
		if part != "" {
			kept = append(kept, part)
		}
	}
	return kept
}
