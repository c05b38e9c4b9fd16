package evidence

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// printable makes text safe to show on one line: line breaks and tabs become a
// space, other control characters U+FFFD, and characters that only steer the
// display (zero width, direction overrides) go, since they could redraw a box.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\r', r == '\t', r == 0x2028, r == 0x2029:
			return ' '
		case r < 0x20, r >= 0x7f && r < 0xa0:
			return utf8.RuneError
		case r >= 0xa0 && unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, s)
}

// columns is the number of terminal columns that s takes.
func columns(s string) int {
	n := 0
	for _, r := range s {
		n += runeColumns(r)
	}
	return n
}

// cut shortens s to at most limit columns, ending in an ellipsis when it was longer.
func cut(s string, limit int) string {
	if columns(s) <= limit {
		return s
	}
	used := 0
	for i, r := range s {
		if used += runeColumns(r); used > limit-1 {
			return s[:i] + "…"
		}
	}
	return s
}

// runeColumns is 0 for marks that sit on the character before, 2 for East Asian
// wide characters and emoji (Unicode's classes W and F, by blocks), else 1.
func runeColumns(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case r >= 0x1160 && r <= 0x11ff, unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r < 0x1100:
		return 1
	case r < 0x2e80:
		return symbolColumns(r)
	case r <= 0x303e, r >= 0x3041 && r <= 0xa4cf, // CJK radicals to Yi
		r >= 0xa960 && r <= 0xa97c, r >= 0xac00 && r <= 0xd7a3, // Hangul
		r >= 0xf900 && r <= 0xfaff, r >= 0xfe10 && r <= 0xfe19, r >= 0xfe30 && r <= 0xfe6f,
		r >= 0xff01 && r <= 0xff60, r >= 0xffe0 && r <= 0xffe6, // full-width forms
		r >= 0x16fe0 && r <= 0x18dff, r >= 0x1aff0 && r <= 0x1b2ff,
		r == 0x1f004, r == 0x1f0cf, r == 0x1f18e, r >= 0x1f191 && r <= 0x1f19a,
		r >= 0x1f200 && r <= 0x1f64f, r >= 0x1f680 && r <= 0x1f6ff, r >= 0x1f7e0 && r <= 0x1f7eb,
		r >= 0x1f900 && r <= 0x1f9ff, r >= 0x1fa70 && r <= 0x1faff, // emoji
		r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}

// symbolColumns covers Hangul Jamo and the few symbols that are emoji by default.
func symbolColumns(r rune) int {
	switch {
	case r <= 0x115f, r == 0x231a, r == 0x231b, r == 0x2329, r == 0x232a, r >= 0x23e9 && r <= 0x23ec,
		r == 0x23f0, r == 0x23f3, r == 0x25fd, r == 0x25fe, r == 0x2614, r == 0x2615, r >= 0x2648 && r <= 0x2653,
		r == 0x267f, r == 0x2693, r == 0x26a1, r == 0x26aa, r == 0x26ab, r == 0x26bd, r == 0x26be, r == 0x26c4,
		r == 0x26c5, r == 0x26ce, r == 0x26d4, r == 0x26ea, r == 0x26f2, r == 0x26f3, r == 0x26f5, r == 0x26fa,
		r == 0x26fd, r == 0x2705, r == 0x270a, r == 0x270b, r == 0x2728, r == 0x274c, r == 0x274e,
		r >= 0x2753 && r <= 0x2755, r == 0x2757, r >= 0x2795 && r <= 0x2797, r == 0x27b0, r == 0x27bf,
		r == 0x2b1b, r == 0x2b1c, r == 0x2b50, r == 0x2b55:
		return 2
	}
	return 1
}
