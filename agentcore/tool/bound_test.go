package tool

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestBound_RT31(t *testing.T) {
	lines := strings.Repeat("0123456789\n", 10)
	for _, tc := range []struct {
		reason, text string
		limits       Limits
		want         string
		cut          Cut
	}{
		{"short", "abc", Limits{Bytes: 3}, "abc", Cut{}},
		{"empty", "", Limits{Bytes: 1}, "", Cut{}},
		{"no limit", lines, Limits{Bytes: -1}, lines, Cut{}},
		{"at the ends of lines", lines, Limits{Bytes: 66, Hint: "Grep it."},
			"0123456789\n0123456789\n0123456789\n[... 44 bytes (4 lines) are left out here: the output is longer than 66 bytes. Grep it. ...]\n0123456789\n0123456789\n0123456789\n",
			Cut{Bytes: 44, Lines: 4}},
		{"no line end is near", strings.Repeat("x", 100), Limits{Bytes: 10},
			"xxxxx\n[... 90 bytes (0 lines) are left out here: the output is longer than 10 bytes. Ask for less, or for the part that matters. ...]\nxxxxx", Cut{Bytes: 90}},
		{"between characters", "ääääääää", Limits{Bytes: 6},
			"ä\n[... 12 bytes (0 lines) are left out here: the output is longer than 6 bytes. Ask for less, or for the part that matters. ...]\nä", Cut{Bytes: 12}},
		{"some was lost before", strings.Repeat("x", 20), Limits{Bytes: 10, Dropped: 1000},
			"xxxxx\n[... 1010 bytes (more than 0 lines) are left out here: the output is longer than 10 bytes. Ask for less, or for the part that matters. ...]\nxxxxx", Cut{Bytes: 1010}},
	} {
		got, cut := Bound(tc.text, tc.limits)
		if diff := cmp.Diff(tc.want, got); diff != "" || cut != tc.cut {
			t.Errorf("%s: cut %+v, want %+v\n%s", tc.reason, cut, tc.cut, diff)
		}
	}
}

// Whatever the text and the limit: head and tail are those of the text, nothing is
// cut in two, and what is missing is counted.
func TestBound_RT31_anyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "\n", "ä", "€", "😀", "word ", "\r\n", "\x00", "\xff", "\x1b", "\r"}), 0, 60).Draw(t, "text"), "")
		limit := rapid.IntRange(1, 80).Draw(t, "limit")
		got, cut := Bound(text, Limits{Bytes: limit})
		if !utf8.ValidString(got) {
			t.Fatalf("%q is no UTF-8", got)
		}
		safe := Safe(text)
		if len(safe) <= limit {
			if got != safe || cut != (Cut{}) {
				t.Fatalf("short text changed: %q, %+v", got, cut)
			}
			return
		}
		begin := strings.Index(got, "[... ")
		end := strings.LastIndex(got, " ...]\n") + len(" ...]\n")
		head, tail := got[:begin], got[end:]
		if !strings.HasPrefix(safe, head) {
			head = strings.TrimSuffix(head, "\n") // the one before the note
		}
		if !strings.HasPrefix(safe, head) || !strings.HasSuffix(safe, tail) {
			t.Fatalf("%q is no head, or %q no tail, of %q", head, tail, safe)
		}
		missing := len(safe) - len(head) - len(tail)
		if len(head)+len(tail) > limit+1 || cut.Bytes != missing && cut.Bytes != missing+1 { // one off: a line end that is the note's or the text's
			t.Fatalf("limit %d: kept %d and %d, cut %+v of %d", limit, len(head), len(tail), cut, len(safe))
		}
	})
}

func TestSafe(t *testing.T) {
	for _, tc := range []struct{ reason, text, want string }{
		{"plain", "a\tb\n", "a\tb\n"},
		{"CRLF", "a\r\nb", "a\r\nb"},
		{"CR alone", "a\rb\r", "a␍b␍"},
		{"controls", "\x00\x1b[31m\x7f\b", "␀␛[31m␡␈"},
		{"no UTF-8", "a\xffb\xc3", "a\uFFFDb\uFFFD"},
		{"C1", "a\u0085\u009bb", "a\uFFFD\uFFFDb"},
		{"others stay", "ä€😀\u00a0\uFFFD", "ä€😀\u00a0\uFFFD"},
	} {
		if got := Safe(tc.text); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.reason, got, tc.want)
		}
	}
}

func FuzzSafe(f *testing.F) {
	f.Add("a\x1b[0m\xff\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		got := Safe(text)
		if !utf8.ValidString(got) || Safe(got) != got {
			t.Fatalf("%q becomes %q", text, got)
		}
		for i, r := range got {
			if unicode.IsControl(r) && r != '\n' && r != '\t' && !(r == '\r' && strings.HasPrefix(got[i+1:], "\n")) {
				t.Fatalf("%q keeps %q", text, r)
			}
		}
	})
}
