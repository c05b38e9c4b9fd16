package builtin

import "strings"

// plain takes terminal sequences (colours, titles, cursor moves) out of an output:
// they are for a screen.
func plain(text string) string {
	if !strings.ContainsRune(text, '\x1b') {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		if n := sequence(text[i:]); n > 0 {
			i += n
			continue
		}
		b.WriteByte(text[i])
		i++
	}
	return b.String()
}

// sequence is the length of the terminal sequence that a text begins with, 0 if
// there is none.
func sequence(s string) int {
	if len(s) < 2 || s[0] != '\x1b' {
		return 0
	}
	switch s[1] {
	case '[':
		for i := 2; i < len(s) && i < 64; i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
			if s[i] < 0x20 || s[i] > 0x3f {
				return 0
			}
		}
	case ']':
		for i := 2; i < len(s) && i < 512; i++ {
			if s[i] == '\a' {
				return i + 1
			}
			if s[i] == '\x1b' && i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
		}
	}
	return 0
}
