package task

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// clean is s as text: bytes that are no UTF-8, and characters that XML cannot
// carry, become U+FFFD (D-26).
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if legal(r) {
			return r
		}
		return utf8.RuneError
	}, s)
}

// legal tells the characters of XML 1.0.
func legal(r rune) bool {
	switch {
	case r == '\t' || r == '\n' || r == '\r':
		return true
	case r < ' ', r >= 0xD800 && r < 0xE000, r == 0xFFFE, r == 0xFFFF:
		return false
	}
	return r <= unicode.MaxRune
}

// escape is s as the text of an element. Newlines stay as they are, for the
// reader's sake. A carriage return is written as a reference, since readers of
// XML fold it otherwise. So is the backslash of a JSON escape of < or >, which
// readers of transcripts undo, so that no command can write a tag of its own.
func escape(s string) string {
	return escaper().Replace(clean(s))
}

func escaper() *strings.Replacer {
	return strings.NewReplacer(
		"&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;",
		"\r", "&#xD;", `\u003`, "&#x5C;u003",
	)
}

// escapeToken is [escape] for what readers trim: spaces at its ends are written
// as references.
func escapeToken(s string) string {
	s = clean(s)
	inner := strings.TrimLeft(s, blanks)
	front := s[:len(s)-len(inner)]
	inner = strings.TrimRight(inner, blanks)
	back := s[len(front)+len(inner):]
	return references(front) + escape(inner) + references(back)
}

const blanks = " \t\r\n"

func references(s string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteString("&#" + strconv.Itoa(int(r)) + ";")
	}
	return b.String()
}

// unescape undoes escape, and reads every other reference to one character too.
// What is no reference stays as it is.
func unescape(s string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, "&")
		b.WriteString(before)
		if !found {
			return clean(b.String())
		}
		text, rest, ok := reference(after)
		if !ok {
			text, rest = "&", after
		}
		b.WriteString(text)
		s = rest
	}
}

// longestReference is how long the name of a reference can be.
const longestReference = 8

// reference reads what follows an ampersand.
func reference(s string) (text, rest string, ok bool) {
	end := strings.IndexByte(s[:min(len(s), longestReference+1)], ';')
	if end < 0 {
		return "", "", false
	}
	name, rest := s[:end], s[end+1:]
	switch name {
	case "amp":
		return "&", rest, true
	case "lt":
		return "<", rest, true
	case "gt":
		return ">", rest, true
	case "quot":
		return `"`, rest, true
	case "apos":
		return "'", rest, true
	}
	number, ok := strings.CutPrefix(name, "#")
	if !ok {
		return "", "", false
	}
	base := 10
	if hex, isHex := strings.CutPrefix(strings.ToLower(number), "x"); isHex {
		number, base = hex, 16
	}
	n, err := strconv.ParseUint(number, base, 32)
	if err != nil || n > unicode.MaxRune {
		return "", "", false
	}
	return string(rune(n)), rest, true
}

// firstRunes cuts s to n characters and says so.
func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i] + "…"
		}
		n--
	}
	return s
}

// oneLine replaces what would end a line or steer a terminal.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || !legal(r) {
			return utf8.RuneError
		}
		return r
	}, s)
}

// milliseconds is a duration of n ms, from zero up to the longest there is.
func milliseconds(n int64) time.Duration {
	const most = math.MaxInt64 / int64(time.Millisecond)
	return time.Duration(min(max(n, 0), most)) * time.Millisecond
}

// wholeMS is a duration in ms; a negative one, from a clock that was set back,
// is none.
func wholeMS(d time.Duration) int64 { return max(d.Milliseconds(), 0) }

// atMilli is a time in ms since 1970.
func atMilli(n int64) time.Time { return time.UnixMilli(n).UTC() }
