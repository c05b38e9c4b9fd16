package policytest

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// junitSchema is what the schema of Jenkins' xUnit plugin allows (junit-10.xsd), as
// far as we write it, and file and line of a testcase.
func junitSchema() map[string][]string {
	return map[string][]string{
		"testsuites": {"name", "tests", "failures", "errors", "time", "<testsuite>"},
		"testsuite":  {"name", "tests", "failures", "errors", "skipped", "time", "timestamp", "<testcase>"},
		"testcase":   {"name", "classname", "time", "file", "line", "<skipped>", "<error>", "<failure>", "<system-out>"},
		"skipped":    {"message", "type"},
		"error":      {"message", "type"},
		"failure":    {"message", "type"},
		"system-out": nil,
	}
}

// checkJUnit reads a report back, and counts what its attributes say.
func checkJUnit(t interface{ Errorf(string, ...any) }, data []byte) map[string]int {
	seen := map[string]int{}
	schema := junitSchema()
	dec := xml.NewDecoder(bytes.NewReader(data))
	var open []string
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Errorf("no XML: %v\n%s", err, data)
			return seen
		}
		switch el := tok.(type) {
		case xml.StartElement:
			name := el.Name.Local
			allowed, known := schema[name]
			if !known || len(open) > 0 && !slices.Contains(schema[open[len(open)-1]], "<"+name+">") {
				t.Errorf("<%s> in %v", name, open)
			}
			for _, a := range el.Attr {
				if !slices.Contains(allowed, a.Name.Local) {
					t.Errorf("<%s> has an attribute %s", name, a.Name.Local)
				}
			}
			seen[name]++
			open = append(open, name)
		case xml.EndElement:
			open = open[:len(open)-1]
		}
	}
	return seen
}

func TestWriteJUnit_FitsTheSchema(t *testing.T) {
	for _, dir := range []string{"testdata/good", "testdata/bad", "testdata/hostile", "testdata/empty", "testdata/broken/clock"} {
		r := report(t, Options{Output: true, CoverMin: 100}, dir)
		var b bytes.Buffer
		if err := r.WriteJUnit(&b); err != nil {
			t.Fatal(err)
		}
		seen := checkJUnit(t, b.Bytes())
		if got, want := seen["testcase"], r.Totals.Tests+len(r.Problems); got != want {
			t.Errorf("%s: %d test cases, want %d", dir, got, want)
		}
		if seen["failure"] != r.Totals.Failed || seen["error"] != r.Totals.Errors+len(r.Problems) || seen["skipped"] != r.Totals.Skipped {
			t.Errorf("%s: %v, want as many as %+v", dir, seen, r.Totals)
		}
	}
}

// Whatever policies and transcripts say, the file stays XML, and what can be
// written comes back.
func TestWriteJUnit_AnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"]]>", "<!--", "\x00\x1b[2J", "a\xffb", "\ufffe\uffff", "&#0;", "]]]]>>", "\u2028"})).Draw(t, "text")
		test := Test{Kind: KindRego, Name: text, File: text, Line: 1, Result: Error, Message: text, Output: text}
		r := &Report{Folders: []Folder{{Dir: text, Tests: []Test{test}}}, Problems: []Problem{{Kind: ProblemPolicy, File: text, Message: text, Hint: text}}}
		var b bytes.Buffer
		if err := r.WriteJUnit(&b); err != nil {
			t.Fatal(err)
		}
		if seen := checkJUnit(t, b.Bytes()); seen["testcase"] != 2 {
			t.Fatalf("%v", seen)
		}
		if plain := strings.Map(func(r rune) rune {
			if r > ' ' && r < 0x7f {
				return r
			}
			return -1
		}, text); plain == text && text != "" && !strings.Contains(string(readXML(t, b.Bytes())), text) {
			t.Fatalf("%q is not in what is read back", text)
		}
	})
}

func readXML(t *rapid.T, data []byte) []byte {
	var all []byte
	dec := xml.NewDecoder(bytes.NewReader(data))
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if chars, ok := tok.(xml.CharData); ok {
			all = append(all, chars...)
		}
	}
}

// A full disk is told.
func TestReport_WriteErrors(t *testing.T) {
	r := report(t, Options{}, "testdata/bad")
	full := errors.New("no space left")
	for name, write := range map[string]func(io.Writer) error{"json": r.WriteJSON, "junit": r.WriteJUnit,
		"text": func(w io.Writer) error { return r.WriteText(w, TextOptions{}) }} {
		if err := write(failing{full}); !errors.Is(err, full) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
