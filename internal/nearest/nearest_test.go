package nearest

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestWord(t *testing.T) {
	keys := []string{"code", "codes", "severity", "deferrable", "fail", "events", "order", "brief", "remediation_cap"}
	for _, tc := range []struct{ reason, word, want string }{
		{"a letter too few", "severty", "severity"},
		{"a letter too few in a pair", "deferable", "deferrable"},
		{"two letters swapped", "evnets", "events"},
		{"one for several", "event", "events"},
		{"a dash for an underscore, and a slip", "remediation-cup", "remediation_cap"},
		{"too long to be a slip", strings.Repeat("severity", 9), ""},
		{"capitals", "Severity", "severity"},
		{"the author's own", "owner", ""},
		{"the author's own, short and near", "mode", ""},
		{"too short to tell", "id", ""},
		{"right already, and no other is near", "severity", ""},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			if got := Word(tc.word, keys); got != tc.want {
				t.Errorf("%s: %q", tc.word, got)
			}
		})
	}
}

// TestDistance_model compares the table with the definition.
func TestDistance_model(t *testing.T) {
	var model func(a, b string) int
	model = func(a, b string) int {
		if a == "" || b == "" {
			return len(a) + len(b)
		}
		cost := 1
		if a[0] == b[0] {
			cost = 0
		}
		d := min(model(a[1:], b)+1, model(a, b[1:])+1, model(a[1:], b[1:])+cost)
		if len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] {
			d = min(d, model(a[2:], b[2:])+1)
		}
		return d
	}
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringOfN(rapid.RuneFrom([]rune("abc")), 0, 6, -1)
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		want := model(a, b)
		if n := len(a) - len(b); n > 3 || n < -3 {
			want = 4 // far is all that matters
		}
		if got := distance(a, b); got != want {
			t.Fatalf("distance(%q, %q) = %d, the model says %d", a, b, got, want)
		}
	})
}
