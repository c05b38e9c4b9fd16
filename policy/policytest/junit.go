package policytest

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/stophook/stophook/internal/term"
)

// The elements of a JUnit report, in the order that its schema wants.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Time     string       `xml:"time,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name      string      `xml:"name,attr"`
		Tests     int         `xml:"tests,attr"`
		Failures  int         `xml:"failures,attr"`
		Errors    int         `xml:"errors,attr"`
		Skipped   int         `xml:"skipped,attr"`
		Time      string      `xml:"time,attr"`
		Timestamp string      `xml:"timestamp,attr"`
		Cases     []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name      string        `xml:"name,attr"`
		Classname string        `xml:"classname,attr"`
		Time      string        `xml:"time,attr"`
		File      string        `xml:"file,attr,omitempty"`
		Line      int           `xml:"line,attr,omitempty"`
		Skipped   *junitSkipped `xml:"skipped"`
		Error     *junitFault   `xml:"error"`
		Failure   *junitFault   `xml:"failure"`
		SystemOut *junitText    `xml:"system-out"`
	}
	junitFault struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",cdata"`
	}
	junitText struct {
		Text string `xml:",cdata"`
	}
	junitSkipped struct {
		Message string `xml:"message,attr"`
	}
)

// WriteJUnit writes the report as JUnit XML, as CI systems read it: one testsuite
// for each folder. Beside what the schema of Jenkins knows, a testcase has file and
// line, which others show. Problems of the run as a whole are test cases in error, so that
// no CI takes a run that tested nothing for a good one.
func (r *Report) WriteJUnit(w io.Writer) error {
	stamp := r.Started.UTC().Format("2006-01-02T15:04:05")
	all := junitSuites{Name: "stophook test", Tests: r.Totals.Tests, Failures: r.Totals.Failed, Errors: r.Totals.Errors,
		Time: junitTime(r.Totals.Seconds)}
	for i := range r.Folders {
		f := &r.Folders[i]
		s := junitSuite{Name: clean(f.Dir), Tests: f.Totals.Tests, Failures: f.Totals.Failed, Errors: f.Totals.Errors,
			Skipped: f.Totals.Skipped, Time: junitTime(f.Totals.Seconds), Timestamp: stamp}
		for k := range f.Tests {
			s.Cases = append(s.Cases, junitTest(f.Dir, &f.Tests[k]))
		}
		all.Suites = append(all.Suites, s)
	}
	if n := len(r.Problems); n > 0 {
		s := junitSuite{Name: "stophook test", Tests: n, Errors: n, Time: junitTime(0), Timestamp: stamp}
		for _, p := range r.Problems {
			text := plain(func(tp *textPrinter) { tp.problem(p) })
			s.Cases = append(s.Cases, junitCase{Name: clean(strings.Join(nonEmpty(p.Kind, p.Dir), " ")), Classname: "stophook test", Time: junitTime(0),
				File: clean(p.File), Line: p.Line, Error: &junitFault{Message: clean(p.Message), Type: p.Kind, Text: clean(text)}})
		}
		all.Suites, all.Tests, all.Errors = append(all.Suites, s), all.Tests+n, all.Errors+n
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(all); err != nil {
		return fmt.Errorf("junit: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func junitTest(dir string, t *Test) junitCase {
	c := junitCase{Name: clean(term.OneLine(t.Name, 200)), Classname: clean(dir), Time: junitTime(t.Seconds), File: clean(t.File), Line: t.Line}
	if t.Output != "" {
		c.SystemOut = &junitText{clean(t.Output)}
	}
	if t.Passed() {
		if t.Result == Skip {
			c.Skipped = &junitSkipped{Message: "todo_test_ rules do not run"}
		}
		return c
	}
	fault := &junitFault{Message: clean(term.OneLine(t.Message, 500)), Type: t.Kind, Text: clean(plain(func(p *textPrinter) { p.detail(t) }))}
	if t.Result == Fail {
		c.Failure = fault
	} else {
		c.Error = fault
	}
	return c
}

func junitTime(s float64) string {
	return fmt.Sprintf("%.3f", max(0, (time.Duration(s*float64(time.Second))).Seconds()))
}

// clean makes text safe for terminals, because people look at these files, too, and
// takes out what XML cannot hold: CDATA has no escapes for it.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == 0xFFFE || r == 0xFFFF {
			return utf8.RuneError
		}
		return r
	}, term.Visible(strings.ReplaceAll(strings.ToValidUTF8(s, string(utf8.RuneError)), "\t", "    ")))
}
