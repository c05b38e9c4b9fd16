package hookio

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxText is the longest text, in UTF-16 units, that an [Answer] carries. Claude
// Code moves what is beyond 10,000 of them into a file, where no model reads it
// (hosts section 1.2); the rest is room for what the host puts around a text.
const MaxText = 9500

// markRoom is room, in UTF-16 units, for the mark that a cut leaves.
const markRoom = 64

// tidy makes a text fit for the wire and for a terminal: valid UTF-8, line ends
// as LF, no control characters but LF and TAB, no space around it, bounded.
func tidy(s string) string { return bound(plain(s), MaxText, "stophook left out %d characters here") }

// plain is tidy without the bound.
func plain(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r':
			return '\n'
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, s)
	return strings.TrimSpace(s)
}

// bound cuts the middle out of a text longer than limit UTF-16 units. Head and
// tail stay, two to one: the first demand stands in front, the command to run
// often at the end. mark says how many are gone, in fewer units than markRoom.
func bound(s string, limit int, mark string) string {
	total := units(s)
	if total <= limit {
		return s
	}
	keep := limit - markRoom
	head, n := 0, 0
	for n < keep*2/3 {
		r, size := utf8.DecodeRuneInString(s[head:])
		head, n = head+size, n+utf16.RuneLen(r)
	}
	tail, m := len(s), 0
	for m < keep-n-1 {
		r, size := utf8.DecodeLastRuneInString(s[:tail])
		tail, m = tail-size, m+utf16.RuneLen(r)
	}
	return s[:head] + "\n[... " + fmt.Sprintf(mark, total-n-m) + " ...]\n" + s[tail:]
}

// units counts as the host does. s is valid UTF-8.
func units(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// blank says that a person would see nothing: space, marks of zero width, or
// only the leftovers of bytes that were no text.
func blank(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r != ' ' && r != utf8.RuneError && unicode.IsPrint(r)
	})
}

// quote appends s as a JSON string. s went through tidy, so it is valid UTF-8
// and holds no control character but LF and TAB. Nothing is escaped for HTML:
// the model reads the text as it stands.
func quote(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}
