package builtin

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestReplace_RT34_lineEnds(t *testing.T) {
	for _, tc := range []struct {
		reason, text, old, new string
		all                    bool
		want, problem          string
	}{
		{"CRLF stays, the new lines get it too", "a\r\nb\r\nc\r\n", "a\nb\n", "x\ny\nz\n", false, "x\r\ny\r\nz\r\nc\r\n", ""},
		{"within one line", "a\r\nb\r\n", "b", "c", false, "a\r\nc\r\n", ""},
		{"CRLF given", "a\r\nb\r\n", "a\r\nb", "x\r\ny", false, "x\r\ny\r\n", ""},
		{"both kinds: as it is", "a\nb\r\nc\n", "c\n", "d\n", false, "a\nb\r\nd\n", ""},
		{"both kinds: with CRLF", "a\nb\r\nc\r\nd\n", "b\nc", "x\ny", false, "a\nx\r\ny\r\nd\n", ""},
		{"LF file", "a\nb\n", "a\nb", "a\r\nb", false, "a\r\nb\n", ""},
		{"nothing but line ends", "a\r\nb\r\n", "a\nb", "a\r\nb", false, "", "line ends only"},
		{"a mark at the beginning stays", "\ufeffpackage a\n", "package a", "package b", false, "\ufeffpackage b\n", ""},
		{"no UTF-8 elsewhere stays", "gr\xfc\xdfe\nx\n", "x", "y", false, "gr\xfc\xdfe\ny\n", ""},
		{"delete", "a\nb\n", "a\n", "", false, "b\n", ""},
		{"overlapping places are two", "aaa", "aa", "b", false, "", "there 2 times"},
		{"all, not overlapping", "aaaa", "aa", "b", true, "bb", ""},
		{"the new text holds the old", "a", "a", "aa", true, "aa", ""},
		{"dollars are plain", "x", "x", "$1 \\1", false, "$1 \\1", ""},
		{"all of none", "x", "y", "z", true, "", "not in the file"},
	} {
		r, problem := replace(tc.text, tc.old, tc.new, tc.all)
		if diff := cmp.Diff(tc.want, r.text); diff != "" || !strings.Contains(problem, tc.problem) || (problem == "") != (tc.problem == "") {
			t.Errorf("%s: %q\n%s", tc.reason, problem, diff)
		}
	}
}

// checkReplace holds an edit against what it promises.
func checkReplace(t interface{ Fatalf(string, ...any) }, text, old, new string, all bool) {
	r, problem := replace(text, old, new, all)
	if problem != "" {
		if r.text != "" || strings.TrimSpace(problem) == "" {
			t.Fatalf("a refused edit gives %q, %q", r.text, problem)
		}
		return
	}
	if old == "" || old == new {
		t.Fatalf("%q for %q was done", new, old)
	}
	if len(r.at) == 0 || !all && len(r.at) != 1 {
		t.Fatalf("%d replacements, all is %v", len(r.at), all)
	}
	// Undone place by place it is the old text.
	back, end := "", 0
	size := (len(text) - len(r.text) + len(r.at)*r.newSize) / len(r.at)
	at := 0
	for _, pos := range r.at {
		at += pos - end
		back += r.text[end:pos] + text[at:at+size]
		at += size
		end = pos + r.newSize
	}
	if back += r.text[end:]; back != text {
		t.Fatalf("%q with %q for %q became %q, and back %q", text, new, old, r.text, back)
	}
	if !all && strings.Count(text, "\r\n") == 0 && strings.Count(text, old) != 1 {
		t.Fatalf("%q is there %d times and was replaced", old, strings.Count(text, old))
	}
	if lf := strings.Count(text, "\n"); lf > 0 && strings.Count(text, "\r\n") == lf && strings.Count(r.text, "\n") != strings.Count(r.text, "\r\n") {
		t.Fatalf("%q lost its CRLF: %q", text, r.text)
	}
	_ = r.excerpt()
	_ = r.summary()
}

func TestReplace_RT34_anyText(t *testing.T) {
	piece := rapid.SampledFrom([]string{"a", "b", "ab", "\n", "\r\n", "\t", " ", "aa", "ä"})
	text := func(t *rapid.T, label string, most int) string {
		return strings.Join(rapid.SliceOfN(piece, 0, most).Draw(t, label), "")
	}
	rapid.Check(t, func(t *rapid.T) {
		checkReplace(t, text(t, "text", 20), text(t, "old", 3), text(t, "new", 3), rapid.Bool().Draw(t, "all"))
	})
}

func FuzzEdit(f *testing.F) {
	f.Add("a\r\nb\r\n", "a\nb", "x\ny", false)
	f.Add("aaa", "aa", "b", true)
	f.Add("func a() {\n\treturn\n}\n", "    return", "x", false)
	f.Add("a\nb\n", "     1\ta\n", "x", false)
	f.Fuzz(func(t *testing.T, text, old, new string, all bool) { checkReplace(t, text, old, new, all) })
}

func TestNearMiss_isBounded(t *testing.T) {
	text := strings.Repeat(strings.Repeat("some words of a long line ", 100)+"\n", 5000)
	got := nearMiss(text, strings.Repeat("some word of a long line", 1000))
	if len(got) > 2000 || !strings.Contains(got, "Most like") {
		t.Errorf("%d bytes: %.200q", len(got), got)
	}
}
