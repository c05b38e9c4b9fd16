package tool

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// DefaultMaxOutput is how much of a result's text is kept, in bytes.
const DefaultMaxOutput = 30_000

// Limits bounds a text. The zero value is the default.
type Limits struct {
	// Bytes is how much is kept, half of it from the beginning and half from the
	// end; 0: [DefaultMaxOutput], negative: everything. The line that says what
	// was cut comes on top.
	Bytes int
	// Hint tells the model what to do about it; empty: a general one.
	Hint string
	// Dropped is how many bytes were lost from the middle of the text before it
	// came here. They are counted among those that are cut out.
	Dropped int
}

// Cut is what a bound took out of a text.
type Cut struct {
	Bytes int `json:"bytes,omitempty"`
	Lines int `json:"lines,omitempty"` // line ends among them
}

// Bound makes a text safe (see [Safe]) and keeps its head and its tail when it is
// longer than the limit. It cuts at the end of a line where one is near, else
// between characters, and puts a line into the gap that says how much is missing
// and what to do.
func Bound(text string, limits Limits) (string, Cut) {
	text = Safe(text)
	limit := limits.Bytes
	if limit == 0 {
		limit = DefaultMaxOutput
	}
	if limit < 0 || len(text) <= limit {
		return text, Cut{}
	}
	head := headEnd(text, (limit+1)/2)
	tail := max(head, tailStart(text, len(text)-limit/2))
	gap := text[head:tail]
	cut := Cut{Bytes: len(gap) + limits.Dropped, Lines: strings.Count(gap, "\n")}
	hint := limits.Hint
	if hint == "" {
		hint = "Ask for less, or for the part that matters."
	}
	var b strings.Builder
	b.Grow(limit + len(hint) + 100)
	b.WriteString(text[:head])
	if head > 0 && text[head-1] != '\n' {
		b.WriteByte('\n')
	}
	lines := fmt.Sprintf("%d lines", cut.Lines)
	if limits.Dropped > 0 {
		lines = "more than " + lines
	}
	fmt.Fprintf(&b, "[... %d bytes (%s) are left out here: the output is longer than %d bytes. %s ...]\n", cut.Bytes, lines, limit, hint)
	b.WriteString(text[tail:])
	return b.String(), cut
}

// near is the share of a half that may be given up for a whole line.
const near = 4

// headEnd is where a head of at most n bytes ends.
func headEnd(text string, n int) int {
	if i := strings.LastIndexByte(text[:n], '\n'); i >= n-n/near {
		return i + 1
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return n
}

// tailStart is where a tail that begins at n or later begins.
func tailStart(text string, n int) int {
	if n == 0 || text[n-1] == '\n' {
		return n
	}
	if i := strings.IndexByte(text[n:], '\n'); i >= 0 && i <= (len(text)-n)/near {
		return n + i + 1
	}
	for n < len(text) && !utf8.RuneStart(text[n]) {
		n++
	}
	return n
}

// Safe replaces what is no UTF-8 by U+FFFD, and control characters by their
// pictures (U+2400 and on), so that a text can be sent, stored and printed.
// Line ends (LF and CRLF) and tabs stay.
func Safe(text string) string {
	i := firstUnsafe(text)
	if i < 0 {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + 16)
	b.WriteString(text[:i])
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '\n' || r == '\t' || r == '\r' && strings.HasPrefix(text[i+1:], "\n"):
			b.WriteRune(r)
		case r < 0x20:
			b.WriteRune(0x2400 + r)
		case r == 0x7f:
			b.WriteRune(0x2421)
		case r > 0x7f && r < 0xa0:
			b.WriteRune(utf8.RuneError)
		default:
			b.WriteRune(r) // U+FFFD for a byte that is no UTF-8
		}
		i += n
	}
	return b.String()
}

// firstUnsafe is the index of the first character that Safe would replace.
func firstUnsafe(text string) int {
	for i := 0; i < len(text); {
		c := text[i]
		if c >= 0x20 && c < 0x7f || c == '\n' || c == '\t' {
			i++
			continue
		}
		if c == '\r' && i+1 < len(text) && text[i+1] == '\n' {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if r < 0xa0 || r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// clip shortens a text for use inside a message.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}
