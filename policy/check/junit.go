package check

import (
	"fmt"
	"io"
	"strings"

	"github.com/stophook/stophook/internal/ci"
	"github.com/stophook/stophook/internal/term"
)

// WriteJUnit writes one test case for each file. It fails when the file has
// errors, and with strict set when it has warnings, which else are its output. All
// that is wrong with a file stands in its one failure.
func (r *Report) WriteJUnit(w io.Writer, strict bool) error {
	var cases []ci.Case
	index := map[string]int{}
	add := func(file string) *ci.Case {
		if _, ok := index[file]; !ok {
			index[file] = len(cases)
			cases = append(cases, ci.Case{Class: "check", Name: file, File: file})
		}
		return &cases[index[file]]
	}
	for _, f := range r.checked {
		add(f)
	}
	found := map[string]int{}
	for i := range r.Findings {
		f := &r.Findings[i]
		c := add(f.File)
		if f.Severity != SeverityError && !strict {
			c.Output += f.words()
			continue
		}
		if c.Failure == nil {
			c.Line = f.Line
			c.Failure = &ci.Problem{Kind: f.Kind, Message: f.Message}
		}
		c.Failure.Detail += f.words()
		found[f.File]++
	}
	for file, n := range found {
		if n > 1 {
			cases[index[file]].Failure.Message += fmt.Sprintf(" (and %d more)", n-1)
		}
	}
	return ci.WriteJUnit(w, ci.Run{Name: "stophook check", Suites: []ci.Suite{{Name: "stophook check", Cases: cases}}})
}

// words is a finding as people read it, without colours.
func (f *Finding) words() string {
	var b strings.Builder
	f.print(&b, term.Style{})
	return b.String()
}
