package report

import (
	"fmt"
	"strings"
	"unicode"
)

// visible makes hidden characters seen: controls by their pictures, and what
// turns, hides or joins text by its number. Line breaks and tabs stay. Text that
// is no UTF-8 becomes the replacement character.
func visible(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if strings.IndexFunc(s, hidden) < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 32)
	for _, r := range s {
		switch {
		case !hidden(r):
			b.WriteRune(r)
		case r == '\r':
			// Half a line break; what follows it is the other half.
		case r < 0x20:
			b.WriteRune(0x2400 + r)
		case r == 0x7f:
			b.WriteRune(0x2421)
		default:
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		}
	}
	return b.String()
}

// hidden tells characters that a reader would not see, or that would move others:
// controls, directional marks, zero-width and line separators, and private ones.
// The joiners of emoji and of some scripts (U+200C, U+200D) stay: they turn
// nothing round.
func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t' || r == 0x200c || r == 0x200d:
		return false
	case r < 0x20 || r >= 0x7f && r < 0xa0:
		return true
	case r < 0xa0:
		return false
	case r == 0x2028 || r == 0x2029 || r == 0x3164 || r == 0xffa0 || r == 0x115f || r == 0x1160:
		return true
	}
	return unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs)
}

// clip makes text safe to read and no longer than n bytes.
func clip(s string, n int) string {
	if len(s) > n {
		for n > 0 && s[n]&0xC0 == 0x80 {
			n--
		}
		s = strings.TrimRight(s[:n], " \t\r\n") + "…"
	}
	return visible(s)
}

// word is a short text of the host's or an agent's choice, such as an id.
func word(s string) string { return clip(strings.Join(strings.Fields(s), " "), wordLimit) }
