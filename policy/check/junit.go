package check

import (
	"encoding/xml"
	"fmt"
	"io"
	"net/url"
	"strings"
)

type junitFailure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

type junitCase struct {
	Class    string         `xml:"classname,attr"`
	Name     string         `xml:"name,attr"`
	Failures []junitFailure `xml:"failure"`
	Out      string         `xml:"system-out,omitempty"`
}

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

// WriteJUnit writes one test case for each file. It fails when the file has
// errors, and with strict set when it has warnings, which else are its output.
func (r *Report) WriteJUnit(w io.Writer, strict bool) error {
	suite := junitSuite{Name: "stophook check"}
	index := map[string]int{}
	add := func(file string) *junitCase {
		if _, ok := index[file]; !ok {
			index[file] = len(suite.Cases)
			suite.Cases = append(suite.Cases, junitCase{Class: "check", Name: clean(file)})
		}
		return &suite.Cases[index[file]]
	}
	for _, f := range r.checked {
		add(f)
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		c := add(f.File)
		text := clean(fmt.Sprintf("%s: %s: %s\n%s\n%s\n", f.place(), f.Severity, f.Message, f.Text, f.Hint))
		if f.Severity == SeverityError || strict {
			c.Failures = append(c.Failures, junitFailure{Message: clean(f.Message), Type: f.Kind, Text: text})
		} else {
			c.Out += text
		}
	}
	suite.Tests = len(suite.Cases)
	for _, c := range suite.Cases {
		if len(c.Failures) > 0 {
			suite.Failures++
		}
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(junitSuites{Suites: []junitSuite{suite}}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// clean drops what XML cannot hold.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0xfffe || r == 0xffff {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}

func escape(p string) string { return (&url.URL{Path: p}).EscapedPath() }
