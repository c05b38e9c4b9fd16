package report

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestVisible(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want, reason string }{
		{"plain", "go test ./...\n\tok", "go test ./...\n\tok", "line breaks and tabs are layout"},
		{"accents", "é 漢字 مرحبا 👩‍💻", "é 漢字 مرحبا 👩‍💻", "letters of any script stay, and the joiner inside an emoji"},
		{"escape", "\x1b[31mred\x7f\x00", "␛[31mred␡␀", "controls have pictures"},
		{"c1", "a\u009b31m", "a⟨U+009B⟩31m", "the one-character form of an escape sequence"},
		{"override", "abc\u202etxt.exe", "abc⟨U+202E⟩txt.exe", "text must not be turned round"},
		{"isolate", "\u2066\u2069\u200e\u061c", "⟨U+2066⟩⟨U+2069⟩⟨U+200E⟩⟨U+061C⟩", "nor isolated or marked"},
		{"zero width", "a\u200bb\ufeffc", "a⟨U+200B⟩b⟨U+FEFF⟩c", "two words must not look like one"},
		{"separators", "a\u2028b\u2029c", "a⟨U+2028⟩b⟨U+2029⟩c", "they end a line in JavaScript"},
		{"tags", "a\U000E0041", "a⟨U+E0041⟩", "text hidden in tag characters is told to nobody else"},
		{"return", "a\r\nb", "a\nb", "half of a line break"},
		{"broken", "a\xffb", "a\ufffdb", "what is no UTF-8 is not text"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := visible(c.in); got != c.want {
				t.Errorf("visible(%q) = %q, want %q: %s", c.in, got, c.want, c.reason)
			}
		})
	}
}

func TestVisible_isSafeAndStable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOf(rapid.Byte()).Draw(t, "s")) + rapid.String().Draw(t, "t")
		got := visible(s)
		if !utf8.ValidString(got) || strings.IndexFunc(got, hidden) >= 0 {
			t.Fatalf("visible(%q) = %q hides something", s, got)
		}
		if again := visible(got); again != got {
			t.Fatalf("visible twice is %q, once %q", again, got)
		}
	})
}

func TestClip(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{{"abc", 3, "abc"}, {"abcd", 3, "abc…"}, {"éé", 3, "é…"}, {"ab  cd", 4, "ab…"}, {"", 0, ""}} {
		if got := clip(c.in, c.n); got != c.want {
			t.Errorf("clip(%q, %d) = %q, want %q", c.in, c.n, got, c.want)
		}
	}
}
