// Package ci writes results in the forms that CI systems read: JUnit XML for test
// results, SARIF for findings in files.
//
// Start with [WriteJUnit] and [WriteSARIF]. Both take plain values and promise
// output that is valid whatever the texts contain: characters that XML cannot
// carry are replaced, and nothing is taken from the clock or the machine.
package ci

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

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
type Problem struct {
	Message, Kind, Detail string
}

type xmlSuites struct {
	XMLName  xml.Name   `xml:"testsuites"`
	Name     string     `xml:"name,attr,omitempty"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Errors   int        `xml:"errors,attr"`
	Time     string     `xml:"time,attr"`
	Suites   []xmlSuite `xml:"testsuite"`
}

type xmlSuite struct {
	Name     string    `xml:"name,attr"`
	Tests    int       `xml:"tests,attr"`
	Failures int       `xml:"failures,attr"`
	Errors   int       `xml:"errors,attr"`
	Skipped  int       `xml:"skipped,attr"`
	Time     string    `xml:"time,attr"`
	Cases    []xmlCase `xml:"testcase"`
}

type xmlCase struct {
	Name    string      `xml:"name,attr"`
	Class   string      `xml:"classname,attr"`
	File    string      `xml:"file,attr,omitempty"`
	Line    int         `xml:"line,attr,omitempty"`
	Time    string      `xml:"time,attr"`
	Skipped *xmlSkipped `xml:"skipped"`
	Error   *xmlProblem `xml:"error"`
	Failure *xmlProblem `xml:"failure"`
	Output  string      `xml:"system-out,omitempty"`
}

type xmlSkipped struct {
	Message string `xml:"message,attr"`
}

type xmlProblem struct {
	Message string `xml:"message,attr"`
	Kind    string `xml:"type,attr,omitempty"`
	Detail  string `xml:",chardata"`
}

// WriteJUnit writes the suites as one JUnit document named name.
func WriteJUnit(w io.Writer, name string, suites []Suite) error {
	doc := xmlSuites{Name: legal(name)}
	var total time.Duration
	for _, s := range suites {
		x, took := suiteXML(s)
		doc.Tests += x.Tests
		doc.Failures += x.Failures
		doc.Errors += x.Errors
		total += took
		doc.Suites = append(doc.Suites, x)
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

func suiteXML(s Suite) (xmlSuite, time.Duration) {
	x := xmlSuite{Name: legal(s.Name), Tests: len(s.Cases)}
	var total time.Duration
	for _, c := range s.Cases {
		total += c.Time
		one := xmlCase{Name: legal(c.Name), Class: legal(c.Class), File: legal(c.File), Line: c.Line, Time: seconds(c.Time),
			Output: legal(c.Output), Failure: problemXML(c.Failure), Error: problemXML(c.Error)}
		switch {
		case c.Failure != nil:
			x.Failures++
		case c.Error != nil:
			x.Errors++
		case c.Skipped != "":
			x.Skipped++
			one.Skipped = &xmlSkipped{Message: legal(c.Skipped)}
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
	return &xmlProblem{Message: legal(p.Message), Kind: legal(p.Kind), Detail: legal(p.Detail)}
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

// legal replaces what XML 1.0 cannot carry, and bytes that are no UTF-8.
func legal(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r',
			r >= 0x20 && r <= 0xd7ff,
			r >= 0xe000 && r <= 0xfffd,
			r >= 0x10000 && r <= utf8.MaxRune:
			return r
		}
		return utf8.RuneError
	}, s)
}
