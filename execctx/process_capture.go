package execctx

import (
	"fmt"
	"unicode/utf8"
)

// capture keeps the beginning and the end of an output within a limit. What lies
// between is counted and dropped. Memory grows with the output, up to the limit.
// It has no lock of its own.
type capture struct {
	headMax, tailMax int

	head  []byte
	tail  []byte // a ring once it has tailMax bytes
	next  int    // of the ring: where the oldest byte is
	total int64
}

// newCapture keeps limit bytes, half from either side; 0 or less:
// [DefaultMaxExecOutput].
func newCapture(limit int64) *capture {
	if limit <= 0 {
		limit = DefaultMaxExecOutput
	}
	// More than an int holds is more than memory holds.
	const most = int64(^uint(0) >> 1)
	limit = min(limit, most)
	return &capture{headMax: int(limit / 2), tailMax: int(limit - limit/2)}
}

// Write never fails.
func (c *capture) Write(p []byte) (int, error) {
	c.total += int64(len(p))
	rest := p
	if room := c.headMax - len(c.head); room > 0 {
		n := min(room, len(rest))
		c.head = append(c.head, rest[:n]...)
		rest = rest[n:]
	}
	c.keep(rest)
	return len(p), nil
}

// keep puts bytes at the end of the tail.
func (c *capture) keep(p []byte) {
	if len(p) > c.tailMax {
		p = p[len(p)-c.tailMax:]
	}
	if room := c.tailMax - len(c.tail); room > 0 {
		n := min(room, len(p))
		c.tail = append(c.tail, p[:n]...)
		p = p[n:]
	}
	for len(p) > 0 {
		n := copy(c.tail[c.next:], p)
		p = p[n:]
		c.next = (c.next + n) % len(c.tail)
	}
}

// output gives what was kept, with a line in the place of what was not, and how
// much that is. The line comes on top of the limit, so that even a limit of one
// byte says something true. No character is cut in two.
func (c *capture) output() (data []byte, dropped int64) {
	tail := make([]byte, 0, len(c.tail))
	tail = append(append(tail, c.tail[c.next:]...), c.tail[:c.next]...)
	head := c.head
	if c.total > int64(len(head)+len(tail)) {
		head, tail = head[:wholeEnd(head)], tail[wholeStart(tail):]
	}
	dropped = c.total - int64(len(head)+len(tail))
	data = make([]byte, 0, len(head)+len(tail)+64)
	data = append(data, head...)
	if dropped > 0 {
		data = append(data, leftOut(dropped)...)
	}
	return append(data, tail...), dropped
}

// leftOut is the line in the place of dropped output.
func leftOut(bytes int64) string { return fmt.Sprintf("\n[%d bytes left out]\n", bytes) }

// wholeEnd is the length of b without the beginning of a character that is cut
// off. Bytes that are no text stay.
func wholeEnd(b []byte) int {
	for i := len(b) - 1; i >= max(0, len(b)-utf8.UTFMax); i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return i
			}
			break
		}
	}
	return len(b)
}

// wholeStart is where the first whole character of b begins, given that what was
// before b is gone. Bytes that are no text stay.
func wholeStart(b []byte) int {
	for i := range min(len(b), utf8.UTFMax) {
		if utf8.RuneStart(b[i]) {
			return i
		}
	}
	return 0
}
