package policytest

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/stophook/stophook/fixtures"
)

// The trees below testdata: what every test and case of them means stands in
// their reasons, and how it looks in testdata/golden.
func TestReport_Golden(t *testing.T) {
	for _, tt := range []struct {
		dir    string
		opts   Options
		text   TextOptions
		code   int
		result string
	}{
		{"good", Options{Cover: true}, TextOptions{}, 0, Pass},
		{"good-verbose", Options{Output: true}, TextOptions{Verbose: true}, 0, Pass},
		{"bad", Options{Cover: true, CoverMin: 90}, TextOptions{}, 1, Fail},
		{"hostile", Options{Output: true}, TextOptions{Verbose: true}, 1, Fail},
		{"empty", Options{}, TextOptions{}, 1, Fail},
	} {
		r := still(report(t, tt.opts, filepath.Join("testdata", strings.TrimSuffix(tt.dir, "-verbose"))))
		if r.ExitCode() != tt.code || r.Result != tt.result {
			t.Errorf("%s: exit code %d and %q, want %d and %q", tt.dir, r.ExitCode(), r.Result, tt.code, tt.result)
		}
		golden := filepath.Join("testdata", "golden", strings.ReplaceAll(tt.dir, "/", "-"))
		var text, doc, junit bytes.Buffer
		for _, err := range []error{r.WriteText(&text, tt.text), r.WriteJSON(&doc), r.WriteJUnit(&junit)} {
			if err != nil {
				t.Errorf("%s: %v", tt.dir, err)
			}
		}
		fixtures.Golden(t, golden+".txt", text.Bytes())
		fixtures.Golden(t, golden+".json", doc.Bytes())
		fixtures.Golden(t, golden+".xml", junit.Bytes())
		for _, c := range text.String() + junit.String() {
			if c != '\n' && (unicode.IsControl(c) || unicode.Is(unicode.Cf, c)) {
				t.Fatalf("%s: %U reaches the terminal", tt.dir, c)
			}
		}
	}
}

// What is wrong with policies and tests is told as `stophook check` tells it, whose
// words are not ours.
func TestReport_Broken(t *testing.T) {
	for _, tt := range []struct {
		dir, file string
		line      int
		message   string
	}{
		{"policy", "rule/rule.rego", 5, "rego_parse_error: unexpected } token"},
		{"meta", "rule/rule.rego", 1, "rule rule has no METADATA"},
		{"clock", "rule_test.rego", 3, "rego_type_error: undefined function time.now_ns"},
		{"v0", "rule_test.rego", 3, "this file is written in Rego v0"},
		{"syntax", "rule_test.rego", 4, "rego_parse_error: unexpected eof token"},
	} {
		dir := "testdata/broken/" + tt.dir
		r := report(t, Options{}, dir)
		if r.ExitCode() != 2 || r.Result != Error || len(r.Problems) != 1 {
			t.Errorf("%s: exit code %d, %+v", tt.dir, r.ExitCode(), r.Problems)
			continue
		}
		p := r.Problems[0]
		if p.Kind != ProblemPolicy || p.Dir != dir || p.File != dir+"/"+tt.file || p.Line != tt.line || !strings.HasPrefix(p.Message, tt.message) || p.Hint == "" {
			t.Errorf("%s: %+v", tt.dir, p)
		}
		var text bytes.Buffer
		if err := r.WriteText(&text, TextOptions{}); err != nil || !strings.HasPrefix(text.String(), p.File+":") || !strings.HasSuffix(text.String(), "could not run  1 problem; no tests\n") {
			t.Errorf("%s: %v, %q", tt.dir, err, text.String())
		}
	}
}
