package shell

import "strings"

// unquoted removes backslashes from text outside of quotes.
func unquoted(b *strings.Builder, v string, glob *bool) {
	brace := false
	for i := 0; i < len(v); i++ {
		switch c := v[i]; c {
		case '\\':
			if i++; i < len(v) && v[i] != '\n' {
				b.WriteByte(v[i])
			}
			continue
		case '*', '?':
			*glob = true
		case '[':
			// [ alone is the name of a program, and needs its bracket to be a pattern.
			if strings.IndexByte(v[i:], ']') > 0 {
				*glob = true
			}
		case '{':
			brace = true
		case ',':
			*glob = *glob || brace
		case '.':
			*glob = *glob || brace && i+1 < len(v) && v[i+1] == '.'
		}
		b.WriteByte(v[i])
	}
}

// unescape removes backslashes before the bytes of set, and line continuations:
// the rule inside double quotes and heredocs.
func unescape(b *strings.Builder, v, set string) {
	for i := 0; i < len(v); i++ {
		if v[i] == '\\' && i+1 < len(v) {
			if v[i+1] == '\n' {
				i++
				continue
			}
			if strings.IndexByte(set, v[i+1]) >= 0 {
				i++
			}
		}
		b.WriteByte(v[i])
	}
}

// ansiC decodes the escapes of $'…'.
func ansiC(b *strings.Builder, v string) {
	for i := 0; i < len(v); i++ {
		if v[i] != '\\' || i+1 == len(v) {
			b.WriteByte(v[i])
			continue
		}
		i++
		switch c := v[i]; c {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case 'e', 'E':
			b.WriteByte(0x1b)
		case 'a', 'b', 'f', 'v':
			b.WriteByte(' ')
		case 'x':
			n, used := digits(v[i+1:], 16, 2)
			b.WriteByte(byte(n))
			i += used
		case 'u', 'U':
			limit := 4
			if c == 'U' {
				limit = 8
			}
			n, used := digits(v[i+1:], 16, limit)
			b.WriteRune(rune(n))
			i += used
		case '0', '1', '2', '3', '4', '5', '6', '7':
			n, used := digits(v[i:], 8, 3)
			b.WriteByte(byte(n))
			i += used - 1
		default: // \\ \' \" \? and what has no meaning
			b.WriteByte(c)
		}
	}
}

func digits(v string, base, limit int) (n, used int) {
	for used < len(v) && used < limit {
		d := 0
		switch c := v[used]; {
		case c >= '0' && c <= '9':
			d = int(c - '0')
		case c >= 'a' && c <= 'f':
			d = int(c-'a') + 10
		case c >= 'A' && c <= 'F':
			d = int(c-'A') + 10
		default:
			return n, used
		}
		if d >= base {
			return n, used
		}
		n = n*base + d
		used++
	}
	return n, used
}
