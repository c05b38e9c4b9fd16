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
		{"broken/policy", Options{}, TextOptions{}, 2, Error},
		{"broken/meta", Options{}, TextOptions{}, 2, Error},
		{"broken/clock", Options{}, TextOptions{}, 2, Error},
		{"broken/v0", Options{}, TextOptions{}, 2, Error},
		{"broken/syntax", Options{}, TextOptions{}, 2, Error},
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
