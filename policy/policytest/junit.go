package policytest

import (
	"io"
	"strings"
	"time"

	"github.com/stophook/stophook/internal/ci"
	"github.com/stophook/stophook/internal/term"
)

// WriteJUnit writes the report as JUnit XML, as CI systems read it: one testsuite
// for each folder. Problems of the run as a whole are test cases in error, so that
// no CI takes a run that tested nothing for a good one.
func (r *Report) WriteJUnit(w io.Writer) error {
	run := ci.Run{Name: "stophook test", Started: r.Started, Took: duration(r.Totals.Seconds)}
	for i := range r.Folders {
		f := &r.Folders[i]
		s := ci.Suite{Name: f.Dir}
		for k := range f.Tests {
			s.Cases = append(s.Cases, junitCase(f.Dir, &f.Tests[k]))
		}
		run.Suites = append(run.Suites, s)
	}
	for _, p := range r.Problems {
		run.Problems = append(run.Problems, ci.Case{Class: run.Name, Name: strings.Join(nonEmpty(p.Kind, p.Dir), " "), File: p.File, Line: p.Line,
			Error: &ci.Problem{Message: p.Message, Kind: p.Kind, Detail: plain(func(tp *textPrinter) { tp.problem(p) })}})
	}
	return ci.WriteJUnit(w, run)
}

func junitCase(dir string, t *Test) ci.Case {
	c := ci.Case{Class: dir, Name: term.OneLine(t.Name, 200), File: t.File, Line: t.Line, Time: duration(t.Seconds), Output: t.Output}
	if t.Result == Skip {
		c.Skipped = "todo_test_ rules do not run"
	}
	if t.Passed() {
		return c
	}
	problem := &ci.Problem{Message: t.Message, Kind: t.Kind, Detail: plain(func(p *textPrinter) { p.detail(t) })}
	if t.Result == Fail {
		c.Failure = problem
	} else {
		c.Error = problem
	}
	return c
}

func duration(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }
