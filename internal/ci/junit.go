package ci

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/stophook/stophook/internal/term"
)

// A Run is what one command tested.
type Run struct {
	Name    string        // the command
	Started time.Time     // the timestamp of every suite; zero leaves it out
	Took    time.Duration // by the wall clock; 0 is the sum of all cases
	Suites  []Suite
	// Problems keep the run as a whole from being good, whatever its cases say: each
	// is a case of a last suite that is called like the run. One that has no Error gets
	// its name for one, so that no CI takes a run that tested nothing for a good one.
	Problems []Case
}

// A Suite is a group of test cases, such as those of one folder.
type Suite struct {
	Name  string
	Cases []Case
}

// A Case is one test and how it ended. At most one of Failure, Error and Skipped
// is set; none means that it passed.
type Case struct {
	Class  string // what groups it in a CI's list: a package, a rule, a session
	Name   string
	File   string
	Line   int // from 1; 0 when there is none
	Time   time.Duration
	Output string // what it printed

	Failure *Problem // what was tested is wrong
	Error   *Problem // it could not be tested
	Skipped string   // why it was not run
}

// A Problem is a short message and, in Detail, everything that helps to repair it.
// A case has one, because CI systems show the first one only. The message is one
// line; when it had to be cut and there is no Detail, it stands there in full.
type Problem struct {
	Message, Kind, Detail string
}

// The elements in the order that the schemas want: those of Jenkins and of Ant.
type (
	xmlSuites struct {
		XMLName  xml.Name   `xml:"testsuites"`
		Name     string     `xml:"name,attr,omitempty"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Errors   int        `xml:"errors,attr"`
		Time     string     `xml:"time,attr"`
		Suites   []xmlSuite `xml:"testsuite"`
	}
	xmlSuite struct {
		Name      string    `xml:"name,attr"`
		Tests     int       `xml:"tests,attr"`
		Failures  int       `xml:"failures,attr"`
		Errors    int       `xml:"errors,attr"`
		Skipped   int       `xml:"skipped,attr"`
		Time      string    `xml:"time,attr"`
		Timestamp string    `xml:"timestamp,attr,omitempty"`
		Cases     []xmlCase `xml:"testcase"`
	}
	xmlCase struct {
		Name    string      `xml:"name,attr"`
		Class   string      `xml:"classname,attr"`
		Time    string      `xml:"time,attr"`
		File    string      `xml:"file,attr,omitempty"`
		Line    int         `xml:"line,attr,omitempty"`
		Skipped *xmlSkipped `xml:"skipped"`
		Error   *xmlProblem `xml:"error"`
		Failure *xmlProblem `xml:"failure"`
		Output  *xmlText    `xml:"system-out"`
	}
	xmlSkipped struct {
		Message string `xml:"message,attr"`
	}
	xmlProblem struct {
		Message string `xml:"message,attr"`
		Kind    string `xml:"type,attr,omitempty"`
		Detail  string `xml:",cdata"`
	}
	// xmlText is CDATA, because people read these files, too: escaped, every line
	// break would be `&#xA;`.
	xmlText struct {
		Text string `xml:",cdata"`
	}
)

// WriteJUnit writes a run as one JUnit document: a testsuite for each suite, in the
// order given. Beside what the schema of Jenkins knows, a testcase has file and
// line, which others show.
func WriteJUnit(w io.Writer, run Run) error {
	suites := run.Suites
	if len(run.Problems) > 0 {
		suites = append(suites[:len(suites):len(suites)], Suite{Name: run.Name, Cases: inError(run.Problems)})
	}
	doc := xmlSuites{Name: attr(run.Name)}
	var total time.Duration
	for _, s := range suites {
		x, took := suiteXML(s)
		if !run.Started.IsZero() {
			x.Timestamp = run.Started.UTC().Format("2006-01-02T15:04:05")
		}
		doc.Tests += x.Tests
		doc.Failures += x.Failures
		doc.Errors += x.Errors
		total += took
		doc.Suites = append(doc.Suites, x)
	}
	if run.Took > 0 {
		total = run.Took
	}
	doc.Time = seconds(total)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return fmt.Errorf("write junit: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// inError are the problems of a run, every one with an error.
func inError(problems []Case) []Case {
	all := make([]Case, len(problems))
	for i, p := range problems {
		if p.Error == nil {
			p.Error = &Problem{Message: p.Name}
		}
		p.Failure, p.Skipped = nil, ""
		all[i] = p
	}
	return all
}

func suiteXML(s Suite) (xmlSuite, time.Duration) {
	x := xmlSuite{Name: attr(s.Name), Tests: len(s.Cases)}
	var total time.Duration
	for _, c := range s.Cases {
		total += c.Time
		one := xmlCase{Name: attr(c.Name), Class: attr(c.Class), File: attr(c.File), Line: c.Line, Time: seconds(c.Time),
			Failure: problemXML(c.Failure), Error: problemXML(c.Error)}
		if c.Output != "" {
			one.Output = &xmlText{legible(c.Output)}
		}
		switch {
		case c.Failure != nil:
			x.Failures++
		case c.Error != nil:
			x.Errors++
		case c.Skipped != "":
			x.Skipped++
			one.Skipped = &xmlSkipped{Message: message(c.Skipped)}
		}
		x.Cases = append(x.Cases, one)
	}
	x.Time = seconds(total)
	return x, total
}

func problemXML(p *Problem) *xmlProblem {
	if p == nil {
		return nil
	}
	x := &xmlProblem{Message: message(p.Message), Kind: attr(p.Kind), Detail: legible(p.Detail)}
	if full := legible(p.Message); p.Detail == "" && x.Message != full {
		x.Detail = full
	}
	return x
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", max(0, d.Seconds())) }

// message is the line that a CI shows in its list.
func message(s string) string { return term.OneLine(legible(s), 500) }

// attr is text for an attribute: all of it, in one line.
func attr(s string) string { return strings.ReplaceAll(legible(s), "\n", " ") }

// legible is text that XML can hold and that is safe in a terminal. CDATA has no
// escapes, so what XML cannot hold is replaced.
func legible(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, string(utf8.RuneError)), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		if r == 0xfffe || r == 0xffff {
			return utf8.RuneError
		}
		return r
	}, term.Visible(strings.ReplaceAll(s, "\t", "    ")))
}
