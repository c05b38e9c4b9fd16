package textdiff

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestUnified_applies: a diff holds both texts: without the added lines and with the
// context it is the old one, without the removed lines the new one.
func TestUnified_applies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", ""}), 0, 30)
		x, y := text.Draw(t, "before"), text.Draw(t, "after")
		a, b := splitLines(strings.Join(x, "\n")), splitLines(strings.Join(y, "\n"))
		var gotA, gotB []string
		for _, e := range compareLines(a, b) {
			if e.a != len(gotA) || e.b != len(gotB) {
				t.Fatalf("line numbers %d, %d at %d, %d", e.a, e.b, len(gotA), len(gotB))
			}
			if e.op != '+' {
				gotA = append(gotA, e.line)
			}
			if e.op != '-' {
				gotB = append(gotB, e.line)
			}
		}
		if strings.Join(gotA, "|") != strings.Join(a, "|") || strings.Join(gotB, "|") != strings.Join(b, "|") {
			t.Fatalf("%q %q", gotA, gotB)
		}
	})
}
