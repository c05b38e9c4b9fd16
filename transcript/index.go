package transcript

import (
	"bytes"
	"cmp"
	"errors"
	"io"
)

// flag is what a byte search found in a row. A flag is a reason to decode, never
// a fact by itself: bytes inside a string can raise one.
type flag uint16

const (
	flagTaskID     flag = 1 << iota // taskId" or backgroundTaskId": perhaps a receipt
	flagAgentID                     // agentId": perhaps a subagent's receipt
	flagTextID                      // "(ID: " in text: perhaps an MCP receipt
	flagNotice                      // task-notification
	flagEnd                         // task_id", shell_id", bash_id" or shellId": perhaps a recorded end
	flagError                       // is_error":true
	flagBackground                  // run_in_background
	flagLinked                      // parentUuid in the head: part of the conversation tree
)

const launchFlags = flagTaskID | flagAgentID | flagTextID

// entry is one row of the index: 24 bytes, so that the index of the largest
// window stays small.
type entry struct {
	off   int64
	n     int32 // length without the newline
	flags flag
	class class
	shape shape
	side  bool
	tools uint8  // tool_use blocks and tool_use_id keys, saturating
	id    uint32 // in the memo, where a walk keeps one
}

// maxEntries bounds the index (2 MiB). A real window holds a few thousand rows;
// beyond the bound the oldest half is forgotten and the session says so.
const maxEntries = 1 << 16

// bufferSize is the read buffer of one reader: large enough for few system calls,
// small enough to stay in the cache while it is searched.
const bufferSize = 64 << 10

// index is the first pass over the window: it splits rows at 0x0A, reads their
// heads, searches for the few byte needles, and decodes nothing. Needles begin
// (or are anchored) at bytes that are rare in real transcripts, and those that
// only matter behind a launch are not searched before one.
type index struct {
	entries  []entry
	rows     int
	bad      int
	dropped  bool
	known    bool // a row of a known type was seen
	validate func(off int64, line []byte, n int) bool

	launched bool // a row that may be a receipt was seen
	limit    int  // of entries; 0 means maxEntries

	// what the search for notices learns
	searches  int
	k, hyphen density

	// the segment being read
	stop       int64
	drop, done bool

	// the row being read, when it is longer than the buffer
	open     bool
	cur      entry
	first    byte // first byte that is no space and no NUL
	last     byte // last such byte
	skipping bool // a request copy: only its length matters
	guessed  bool // its class is a guess: decode knows
}

// segment is a part of the window: the rows that begin in [from, stop). An inner
// one begins anywhere, perhaps inside a row that belongs to the segment before.
type segment struct {
	from, stop int64
	inner      bool
}

// scan reads the rows of a segment through buf and returns the last bytes it read and where
// they begin, so that nobody has to read them again. The bytes behind the last
// newline of the file count as a row: a host may leave its last line without one.
func (x *index) scan(r io.ReaderAt, buf []byte, s segment, size int64) (tail []byte, at int64, err error) {
	n, base, used := 0, s.from, 0 // buf[:n] holds the bytes from base on
	x.stop, x.drop = s.stop, s.inner
	if s.inner {
		base-- // when a newline stands there, the first row begins at from
	}
	for !x.done && base+int64(n) < size {
		n = copy(buf, buf[used:n])
		base += int64(used)
		want := min(int64(len(buf)-n), size-base-int64(n))
		m, err := r.ReadAt(buf[n:n+int(want)], base+int64(n))
		if m == 0 {
			if err != nil && !errors.Is(err, io.EOF) {
				return nil, 0, err
			}
			used = 0 // the file shrank under us: what was read stands
			break
		}
		n += m
		used = x.feed(buf[:n], base)
		if used == 0 && n == len(buf) && base+int64(n) < size {
			used = x.part(buf[:n], base)
		}
	}
	if !x.done && !x.drop && (x.open || n > used) {
		x.line(buf[used:n], base+int64(used))
	}
	return buf[:n], base, nil
}

// scanMapped reads the rows of a segment where they lie.
func (x *index) scanMapped(m mapped, s segment) {
	at := s.from - m.base
	if s.inner {
		i := bytes.IndexByte(m.data[at-1:], '\n')
		if i < 0 {
			return // inside the last row of the file
		}
		at += int64(i)
	}
	for stop := s.stop - m.base; at < stop; {
		i := bytes.IndexByte(m.data[at:stop], '\n')
		if i < 0 { // the row goes on behind the segment
			x.begin(m.data[at:], m.base+at)
			if x.skipping {
				x.open, x.known = false, true
				x.rows++ // what is left of a request copy is nothing to look at
				return
			}
			x.open = false
			if i = bytes.IndexByte(m.data[at:], '\n'); i < 0 {
				i = len(m.data) - int(at)
			}
		}
		x.line(m.data[at:at+int64(i)], m.base+at)
		at += int64(i) + 1
	}
}

// join appends a later part of the same window.
func (x *index) join(late *index) {
	x.entries = append(x.entries, late.entries...)
	x.rows += late.rows
	x.bad += late.bad
	x.known = x.known || late.known
	x.dropped = x.dropped || late.dropped
	if extra := len(x.entries) - maxEntries; extra > 0 {
		x.entries = x.entries[:copy(x.entries, x.entries[extra:])]
		x.dropped = true
	}
}

// feed consumes every complete row and returns the bytes used.
func (x *index) feed(b []byte, base int64) int {
	used := 0
	for {
		if !x.open && !x.drop && base+int64(used) >= x.stop {
			x.done = true
			return used
		}
		i := bytes.IndexByte(b[used:], '\n')
		if i < 0 {
			if x.drop { // still inside a row of the segment before
				x.done = base+int64(len(b)) >= x.stop
				return len(b)
			}
			return used
		}
		if x.drop {
			x.drop = false
		} else {
			x.line(b[used:used+i], base+int64(used))
		}
		used += i + 1
	}
}

// A needle is found at its anchor byte and checked at most around bytes around
// it. Two parts of one row overlap by twice that, so every anchor is visited
// once, with its context whole.
const around = 32

// part takes most of a row that is longer than the buffer.
func (x *index) part(b []byte, base int64) int {
	lo := x.resume()
	x.begin(b, base)
	cut := b[:len(b)-2*around]
	x.measure(cut)
	if !x.skipping {
		x.search(b, lo, len(b)-around)
	}
	x.cur.n += int32(len(cut))
	if x.skipping && base+int64(len(cut)) >= x.stop {
		// The rest of a request copy is nothing to read into the next segment for.
		x.open, x.done, x.known = false, true, true
		x.rows++
	}
	return len(cut)
}

// resume is where anchors of a continued row have not been visited yet.
func (x *index) resume() int {
	if x.open {
		return around
	}
	return 0
}

// begin starts a row unless one is open.
func (x *index) begin(b []byte, off int64) {
	if x.open {
		return
	}
	x.open, x.skipping, x.first, x.last = true, false, 0, 0
	x.cur = entry{off: off}
	h := readHead(trimPadding(b))
	x.cur.class, x.cur.shape, x.cur.side = h.class, h.shape, h.sidechain
	if h.linked {
		x.cur.flags |= flagLinked
	}
	x.skipping, x.guessed = h.class == classCopy, h.guessed
}

// line ends a row with its last (often only) bytes.
func (x *index) line(b []byte, off int64) {
	whole, lo := !x.open, x.resume()
	x.begin(b, off)
	x.open = false
	x.measure(b)
	x.cur.n += int32(len(b))
	if x.first == 0 {
		if padded(b) {
			x.bad++ // a line of NUL bytes: a hole that the file system left
		}
		return
	}
	if x.first != '{' || x.last != '}' {
		if scalarRow(x.first) && whole && valid(trimPadding(b)) {
			x.rows++ // JSON, but no object: nothing in it is for us
			return
		}
		x.bad++
		return
	}
	if !x.skipping {
		x.search(b, lo, len(b))
	}
	if x.validate != nil && !x.validate(x.cur.off, b, int(x.cur.n)) {
		x.bad++
		return
	}
	x.rows++
	x.known = x.known || (!x.guessed && x.cur.class != classOther && x.cur.class != classUnknown)
	x.keep()
}

// scalarRow tells whether a line that is no object may still be JSON.
func scalarRow(c byte) bool { return c == '[' || c == 'n' || c == '"' || c == 't' || c == 'f' }

// keep adds the row to the index when any later step could need it.
func (x *index) keep() {
	e := x.cur
	switch e.class {
	case classCopy:
		return
	case classOther, classQueue:
		if e.flags&(flagNotice|flagLinked) == 0 {
			return
		}
	}
	if e.flags&launchFlags != 0 && e.class != classAssistant {
		x.launched = true
	}
	if limit := cmp.Or(x.limit, maxEntries); len(x.entries) == limit {
		half := limit / 2
		x.entries = x.entries[:copy(x.entries, x.entries[half:])]
		x.dropped = true
	}
	x.entries = append(x.entries, e)
}

// measure remembers the outermost bytes that are neither space nor NUL.
func (x *index) measure(b []byte) {
	if x.first == 0 {
		if t := trimPadding(b); len(t) > 0 {
			x.first = t[0]
		}
	}
	for i := len(b) - 1; i >= 0; i-- {
		if !isPadding(b[i]) {
			x.last = b[i]
			return
		}
	}
}

// search raises the flags that can matter for a row of this class.
func (x *index) search(b []byte, lo, hi int) {
	switch x.cur.class {
	case classAssistant:
		x.underscores(b, lo, hi)
	case classUser, classUnknown:
		x.capitals(b, lo, hi)
		x.underscores(b, lo, hi)
	case classSystem:
		x.underscores(b, lo, hi)
	}
	// A notice closes what an earlier row opened, so before the first possible
	// receipt there is nothing to look for.
	if x.launched || x.cur.flags&launchFlags != 0 {
		x.notices(b, lo, hi)
	}
}

// capitals looks at every I: taskId", agentId", shellId", "(ID: ".
func (x *index) capitals(b []byte, lo, hi int) {
	for i := lo; i < hi; i++ {
		j := bytes.IndexByte(b[i:hi], 'I')
		if j < 0 {
			return
		}
		i += j
		rest, before := b[i+1:], b[:i]
		if hasPrefix(rest, `d"`) {
			switch {
			case hasSuffix(before, "ask"):
				x.cur.flags |= flagTaskID
			case hasSuffix(before, `"agent`):
				x.cur.flags |= flagAgentID
			case hasSuffix(before, `"shell`):
				x.cur.flags |= flagEnd
			}
		} else if hasPrefix(rest, "D: ") && hasSuffix(before, "(") {
			x.cur.flags |= flagTextID
		}
	}
}

// underscores looks at every _: tool_use", is_error":true, task_id" and its
// kin, run_in_background.
func (x *index) underscores(b []byte, lo, hi int) {
	for i := lo; i < hi; i++ {
		j := bytes.IndexByte(b[i:hi], '_')
		if j < 0 {
			return
		}
		i += j
		rest := b[i+1:]
		if len(rest) == 0 {
			return
		}
		switch rest[0] {
		case 'u':
			if hasPrefix(rest, `use"`) && hasSuffix(b[:i], `"tool`) && !stopReason(b[:i]) || hasPrefix(rest, `use_id"`) {
				x.cur.tools = max(x.cur.tools, x.cur.tools+1) // stays at 255
			}
		case 'e':
			if hasPrefix(rest, `error":true`) || hasPrefix(rest, `error": true`) {
				x.cur.flags |= flagError
			}
		case 'i':
			if hasPrefix(rest, `id"`) {
				if before := b[:i]; hasSuffix(before, "task") || hasSuffix(before, "shell") || hasSuffix(before, "bash") {
					x.cur.flags |= flagEnd
				}
			}
		case 'b':
			if hasPrefix(rest, "background") && hasSuffix(b[:i], "run_in") {
				x.cur.flags |= flagBackground
			}
		}
	}
}

// stopReason tells the message's stop reason, which names no call, from a block.
func stopReason(b []byte) bool {
	return hasSuffix(b, `"stop_reason":"tool`) || hasSuffix(b, `"stop_reason": "tool`)
}

// notices looks for task-notification; one hit is enough. The search hops from
// one anchor byte to the next, so the rarer of two is used: which one that is
// differs between transcripts (k in prose and code, the hyphen in ids), and is
// learnt on the way.
func (x *index) notices(b []byte, lo, hi int) {
	if x.cur.flags&flagNotice != 0 {
		return
	}
	x.searches++
	hyphen := x.hyphen.rarer(x.k) != (x.searches%16 == 0) // now and then, look at the other
	anchor, before, behind, seen := byte('k'), "tas", "-notification", &x.k
	if hyphen {
		anchor, before, behind, seen = '-', "task", "notification", &x.hyphen
	}
	seen.bytes += hi - lo
	// One byte earlier than the part before has ended: the two anchors stand side
	// by side, and that part may have looked for the other one.
	for i := max(lo-1, 0); i < hi; i++ {
		j := bytes.IndexByte(b[i:hi], anchor)
		if j < 0 {
			return
		}
		i += j
		seen.hits++
		if hasPrefix(b[i+1:], behind) && hasSuffix(b[:i], before) {
			x.cur.flags |= flagNotice
			return
		}
	}
}

// density is how often an anchor byte was met.
type density struct{ hits, bytes int }

// rarer compares two densities; one that was not measured yet counts as rare.
func (d density) rarer(other density) bool {
	return d.hits*other.bytes < other.hits*d.bytes || d.bytes == 0 && other.bytes > 0
}

func hasPrefix(b []byte, s string) bool { return len(b) >= len(s) && string(b[:len(s)]) == s }
func hasSuffix(b []byte, s string) bool { return len(b) >= len(s) && string(b[len(b)-len(s):]) == s }

// isPadding tells the bytes that are trimmed at both ends of a line: crashes
// leave NUL bytes there, some writers a carriage return or a byte order mark.
func isPadding(c byte) bool { return c == 0 || c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// trimPadding cuts padding at both ends and byte order marks in front.
func trimPadding(b []byte) []byte {
	for {
		n := len(b)
		for len(b) > 0 && isPadding(b[0]) {
			b = b[1:]
		}
		if hasPrefix(b, "\xef\xbb\xbf") {
			b = b[3:]
		}
		if len(b) == n {
			break
		}
	}
	for len(b) > 0 && isPadding(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

// padded tells a line of nothing but padding that holds a NUL from a blank one.
func padded(b []byte) bool { return bytes.IndexByte(b, 0) >= 0 }
