package transcript

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"time"
)

// tape is one transcript read from its start to its end, with the index of the
// rows that a window ending near the present position can hold.
type tape struct {
	index
	r      io.ReaderAt
	size   int64
	path   string
	keep   int64 // bytes behind the position that stay indexed
	memo   *memo
	marks  []mark // of every line that stays indexed, blank ones too
	from   int64  // the rows before it are forgotten
	count  mark   // what has been counted so far, rows and bad excepted
	seen   Walked
	finder finder
	ledger ledger

	since    time.Time
	progress func(int64)
	told     int64
	err      error
}

// mark says what had been counted before the line that begins at off.
type mark struct {
	off              int64
	rows, bad, known uint32
	// invalid counts rows of the file's begin that look like one object and are no
	// JSON: a small window has every row checked.
	invalid uint32
}

const (
	// tapeBuffer is what is read at once: small enough to stay in the cache while
	// it is searched, and large enough for all of a window that is checked.
	tapeBuffer = validateUpTo
	// maxMarks bounds the marks (6 MiB). A real window holds some thousands of
	// rows; of a denser one the oldest half is forgotten, and what would need it
	// is read again.
	maxMarks = 1 << 18
	// sinceMargin is how far the rows of a transcript may be out of order.
	sinceMargin = time.Hour
)

func newTape(r io.ReaderAt, size int64, path string, opts WalkOptions, each func(*Stop, *Moment) error) *tape {
	t := &tape{r: r, size: size, path: path, memo: &memo{}, progress: opts.Progress, since: opts.Since,
		keep: 2 * cmp.Or(max(opts.Window, 0), DefaultWindow)}
	t.launched, t.limit, t.stop = true, math.MaxInt, math.MaxInt64
	t.finder = finder{tape: t, each: each, window: t.bare(size), uuids: map[string]bool{}}
	t.memo.reader = t.finder.window
	t.ledger.window = t.finder.window
	return t
}

// bare is a window without an index, to decode rows with.
func (t *tape) bare(size int64) *window {
	return &window{r: t.r, size: size, memo: t.memo}
}

// run reads the file, in the manner of [index.scan].
func (t *tape) run(ctx context.Context) error {
	if !t.since.IsZero() {
		_, newest := last(t.r, t.size, true)
		if !newest.IsZero() && newest.Before(t.since.Add(-sinceMargin)) {
			t.seen.Old = true
			t.tell(t.size)
			return ctx.Err()
		}
	}
	buf := make([]byte, min(tapeBuffer, t.size))
	n, base, used := 0, int64(0), 0 // buf[:n] holds the bytes from base on
	for t.err == nil && base+int64(n) < t.size {
		if err := ctx.Err(); err != nil {
			return err
		}
		n = copy(buf, buf[used:n])
		base += int64(used)
		want := min(int64(len(buf)-n), t.size-base-int64(n))
		m, err := t.r.ReadAt(buf[n:n+int(want)], base+int64(n))
		if m == 0 {
			if err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			used = 0 // the file shrank under us: what was read stands
			break
		}
		n += m
		if used = t.lines(buf[:n], base); used == 0 && n == len(buf) && base+int64(n) < t.size {
			used = t.part(buf[:n], base)
		}
		t.forget(base + int64(used) - t.keep)
		t.tell(base + int64(used))
	}
	if t.err == nil && (t.open || n > used) {
		t.row(buf[used:n], base+int64(used))
	}
	if t.err == nil {
		t.finder.end()
	}
	t.tell(t.size)
	return t.err
}

// lines takes every complete line and returns the bytes used.
func (t *tape) lines(b []byte, base int64) int {
	used := 0
	for t.err == nil {
		i := bytes.IndexByte(b[used:], '\n')
		if i < 0 {
			break
		}
		t.row(b[used:used+i], base+int64(used))
		used += i + 1
	}
	return used
}

// row ends a line with its last (often only) bytes.
func (t *tape) row(b []byte, off int64) {
	if len(t.marks) == maxMarks {
		t.forget(t.marks[maxMarks/2].off)
	}
	m, kept, whole := t.now(), len(t.entries), !t.open
	t.known = false
	t.seen.Lines++
	t.line(b, off)
	m.off = t.cur.off
	if t.known {
		t.count.known++
	}
	if off+int64(len(b)) <= validateUpTo && t.rows > int(m.rows) && t.first == '{' && !(whole && valid(trimPadding(b))) {
		t.count.invalid++
	}
	t.marks = append(t.marks, m)
	if t.seen.Rows, t.seen.Bad = t.rows, t.bad; t.rows == 1 && m.rows == 0 {
		t.finder.begins(b)
	}
	if len(t.entries) == kept {
		return
	}
	t.entries[kept].id = t.memo.grow()
	e := t.entries[kept]
	switch {
	case e.side:
		t.seen.Sidechain++
	case e.class == classUser || e.class == classAssistant:
		t.seen.Main++
	}
	t.ledger.entry(e, b)
	t.err = t.finder.entry(e, b)
}

// forget drops what is known of the rows before an offset, now and then.
func (t *tape) forget(before int64) {
	if before-t.from < t.keep/8 && len(t.marks) < maxMarks {
		return
	}
	t.from = before
	n := t.entryAt(before)
	t.entries = slices.Delete(t.entries, 0, n)
	t.memo.forget(n)
	t.marks = slices.Delete(t.marks, 0, t.markAt(before))
}

// entryAt is the index of the first kept row that begins at or behind off.
func (t *tape) entryAt(off int64) int {
	i, _ := slices.BinarySearchFunc(t.entries, off, func(e entry, off int64) int { return cmp.Compare(e.off, off) })
	return i
}

func (t *tape) markAt(off int64) int {
	i, _ := slices.BinarySearchFunc(t.marks, off, func(m mark, off int64) int { return cmp.Compare(m.off, off) })
	return i
}

// counted is what had been counted before off.
func (t *tape) counted(off int64) mark {
	if i := t.markAt(off); i < len(t.marks) {
		return t.marks[i]
	}
	return t.now()
}

// now is what has been counted so far.
func (t *tape) now() mark {
	m := t.count
	m.rows, m.bad = uint32(t.rows), uint32(t.bad)
	return m
}

// tell reports progress.
func (t *tape) tell(pos int64) {
	if t.progress != nil && pos > t.told {
		t.progress(pos - t.told)
		t.told = pos
	}
}
