package policytest

import (
	"strings"
	"testing"

	"github.com/stophook/stophook/internal/term"
)

func TestDedent(t *testing.T) {
	for _, tt := range []struct{ reason, in, want string }{
		{"what all lines share", "\t\ta\n\t\t  b\n\t\tc\n", "a\n  b\nc"},
		{"blank lines do not count", "  a\n\n  b", "a\n\nb"},
		{"nothing to take away", "a\n  b", "a\n  b"},
		{"nothing", "", ""},
	} {
		if got := dedent(tt.in); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.reason, got, tt.want)
		}
	}
}

func TestSeconds(t *testing.T) {
	for in, want := range map[float64]string{0: "0 ms", 0.0004: "0 ms", 0.0126: "12 ms", 0.9999: "999 ms", 1: "1.0 s", 61.24: "61.2 s"} {
		if got := seconds(in); got != want {
			t.Errorf("%v: %q, want %q", in, got, want)
		}
	}
}

// A zero Style writes no escapes, whatever failed; the command decides about colours.
func TestWriteText_NoColours(t *testing.T) {
	var b strings.Builder
	if err := report(t, Options{Cover: true}, "testdata/bad").WriteText(&b, TextOptions{Style: term.Style{}, Verbose: true}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "\x1b") {
		t.Error("an escape without a terminal")
	}
}

// A row that the transcript does not have is told, and no other is shown for it.
func TestRowFinder(t *testing.T) {
	dir := write(t, map[string]string{"t.jsonl": "{\"type\":\"mode\"}\n{\"type\":\"user\",\"message\":{\"content\":\"go\"}}\n"})
	f := newRowFinder(dir + "/t.jsonl")
	for offset, want := range map[int64]struct {
		line int
		text string
	}{0: {1, "mode"}, 16: {2, "go"}, 3: {0, "no row begins"}, -1: {0, "no row begins"}, 999: {0, "no row begins"}} {
		if got := f.at(offset); got.Line != want.line || !strings.Contains(got.Text, want.text) {
			t.Errorf("offset %d: %+v, want line %d and %q", offset, got, want.line, want.text)
		}
	}
	if got := newRowFinder(dir + "/none").at(0); got.Line != 0 {
		t.Errorf("a file that is not there: %+v", got)
	}
}
