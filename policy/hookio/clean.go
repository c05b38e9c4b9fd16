package hookio

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const utf8BOM = "\xef\xbb\xbf"

// cleaned is stdin without what shells and pipes add around a payload, and the
// way back from a byte of the text to the byte that was received.
type cleaned struct {
	full       []byte // stdin, or its UTF-8 form when it was UTF-16
	start, end int    // the payload is full[start:end]
	base       int64  // wide only: the received bytes before full, mark included
	wide       bool   // stdin was UTF-16
}

// clean drops, on both ends, byte order marks, NUL bytes and space (CR is space
// of JSON everywhere else), and decodes UTF-16 behind its mark. A CR or NUL
// inside a string stays, and is the parser's to refuse.
func clean(data []byte) (cleaned, *DecodeError) {
	c := cleaned{full: data}
	c.trim()
	rest := data[c.start:]
	if len(rest) < 2 || (string(rest[:2]) != "\xff\xfe" && string(rest[:2]) != "\xfe\xff") {
		return c, nil
	}
	head := c.start
	little := rest[0] == 0xff
	rest = rest[2:]
	half := len(rest)%2 == 1
	c = cleaned{full: decode16(rest[:len(rest)&^1], little), base: int64(head + 2), wide: true}
	c.trim()
	// A shell's newline behind the payload is one byte; anything else is a tear.
	if half && !padding(rest[len(rest)-1]) {
		return c, c.fault(len(c.full)-c.start, "UTF-16 ends in the middle of a character: it was cut short")
	}
	return c, nil
}

func (c *cleaned) trim() {
	c.start, c.end = 0, len(c.full)
	for c.start < c.end {
		switch {
		case padding(c.full[c.start]):
			c.start++
		case bytes.HasPrefix(c.full[c.start:c.end], []byte(utf8BOM)):
			c.start += len(utf8BOM)
		default:
			for padding(c.full[c.end-1]) {
				c.end--
			}
			return
		}
	}
}

func padding(b byte) bool {
	return b == 0 || b == ' ' || b == '\t' || b == '\r' || b == '\n'
}

func (c *cleaned) text() []byte { return c.full[c.start:c.end] }

// fault builds the error for byte i of the text.
func (c *cleaned) fault(i int, reason string) *DecodeError {
	before := c.full[:c.start+i]
	offset := int64(len(before))
	if c.wide {
		offset = c.base
		for i := 0; i < len(before); {
			r, n := utf8.DecodeRune(before[i:])
			offset += 2 * int64(utf16.RuneLen(r))
			i += n
		}
	}
	return &DecodeError{Offset: offset, Line: 1 + bytes.Count(before, []byte{'\n'}), Reason: reason}
}

// decode16 turns pairs of bytes into UTF-8; half of a surrogate pair becomes
// U+FFFD. len(b) is even.
func decode16(b []byte, little bool) []byte {
	unit := func(i int) rune {
		if little {
			return rune(b[i]) | rune(b[i+1])<<8
		}
		return rune(b[i])<<8 | rune(b[i+1])
	}
	out := make([]byte, 0, len(b)/2+len(b)/8)
	for i := 0; i < len(b); i += 2 {
		r := unit(i)
		if utf16.IsSurrogate(r) {
			pair := rune(utf8.RuneError)
			if i+3 < len(b) {
				pair = utf16.DecodeRune(r, unit(i+2))
			}
			if pair != utf8.RuneError {
				i += 2
			}
			r = pair
		}
		out = utf8.AppendRune(out, r)
	}
	return out
}

// diagnose says where invalid JSON went wrong, in words for the person who has
// to repair the sender.
func diagnose(c *cleaned) *DecodeError {
	text := c.text()
	var ignored json.RawMessage
	var syntax *json.SyntaxError
	if err := json.Unmarshal(text, &ignored); !errors.As(err, &syntax) {
		return c.fault(0, "no JSON")
	}
	what := syntax.Error()
	if strings.HasPrefix(what, "unexpected end") {
		return c.fault(len(text), "the payload was cut short")
	}
	// The offset counts the bytes read, the one at fault included.
	at := min(max(int(syntax.Offset)-1, 0), len(text)-1)
	switch {
	case text[at] == 0:
		what = "a NUL byte; if this is UTF-16, its byte order mark is missing"
	case strings.HasSuffix(what, "in string escape code"):
		what = fmt.Sprintf("the backslash before %q starts no JSON escape; write a backslash as two (a Windows path is often the culprit)", text[at])
		at-- // the backslash itself
	case strings.HasSuffix(what, "in string literal") && text[at] < ' ':
		what = fmt.Sprintf("control character 0x%02x stands unescaped in a string; JSON wants \\u%04x", text[at], text[at])
	case strings.HasSuffix(what, "after top-level value"):
		what = "something follows the payload's end"
	}
	return c.fault(at, what)
}
