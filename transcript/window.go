package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// window is the tail of one transcript: where its first whole row begins, the
// index of its rows, and the file to decode single rows from.
type window struct {
	r     io.ReaderAt
	size  int64
	start int64 // the first whole row
	index
	broken map[int64]bool // rows that the second pass found to be no JSON
	memo   *memo          // nil, or what the windows of one walk share

	// The second pass mostly walks forward through neighbouring rows, so it reads
	// the file in blocks: a system call a row would cost more than the decoding, and
	// blocks much larger than a cluster of rows are copied for nothing.
	block    []byte
	blockOff int64
}

const blockSize = 32 << 10

// bytes reads n bytes at off. Short reads come from the block and alias it: they
// are only good until the next call.
func (w *window) bytes(off int64, n int) ([]byte, error) {
	if at := off - w.blockOff; at >= 0 && at+int64(n) <= int64(len(w.block)) {
		return w.block[at : at+int64(n)], nil
	}
	if n > blockSize/2 {
		b := make([]byte, n)
		return w.read(b, off)
	}
	if cap(w.block) < blockSize {
		w.block = make([]byte, 0, blockSize)
	}
	from := off
	if off < w.blockOff { // walking back: what stands before comes next
		from = max(0, off+int64(n)-blockSize)
	}
	block, err := w.read(w.block[:blockSize], from)
	w.block, w.blockOff = block, from
	if at := off - from; int64(len(block)) >= at+int64(n) {
		return block[at : at+int64(n)], nil
	} else if int64(len(block)) > at {
		return block[at:], err
	}
	return nil, err
}

// read fills b as far as the file goes.
func (w *window) read(b []byte, off int64) ([]byte, error) {
	n := 0
	for n < len(b) {
		m, err := w.r.ReadAt(b[n:], off+int64(n))
		n += m
		if m == 0 || errors.Is(err, io.EOF) {
			return b[:n], err
		}
	}
	return b, nil
}

// open indexes the last limit bytes. TR-1, TR-3, D-32, D-33: when the window
// begins in the middle of a row, the bytes up to and including the first
// newline are dropped; when the byte before it is a newline, nothing is.
func openWindow(r io.ReaderAt, size, limit int64, validateAll bool) (*window, error) {
	w := &window{r: r, size: size, start: max(0, size-limit)}
	if w.start > 0 {
		next, err := w.rowStart(w.start)
		if err != nil {
			return nil, err
		}
		w.start = next
	}
	if validateAll || size-w.start <= validateUpTo {
		w.validate = w.checkRow
	}
	if err := w.scanAll(); err != nil {
		return nil, err
	}
	return w, nil
}

// scanAll indexes the window, a large one in segments that two goroutines share:
// reading is most of the work of a hook, and the other core is free as soon as
// the policies are compiled. A file is looked at where the kernel has it, without
// a copy; what cannot be mapped is read through a buffer.
func (w *window) scanAll() error {
	if w.validate != nil || w.size-w.start < splitFrom {
		// Checking every row goes through the one block that the window keeps.
		return w.scanRead(1)
	}
	if f, ok := w.r.(*os.File); ok && w.scanMapped(f) {
		return nil
	}
	return w.scanRead(readSegments)
}

// How many pieces two readers share: enough that neither waits long for the
// other; few enough that little is read twice, or small enough that what is
// mapped at one time stays small.
const (
	readSegments   = 4
	mappedSegments = 8
)

// scanRead indexes the window through buffers.
func (w *window) scanRead(n int) error {
	segments, parts := w.segments(n)
	err := share(len(segments), func(next func() int) (err error) {
		buf := make([]byte, min(bufferSize, w.size-w.start))
		for i := next(); i >= 0; i = next() {
			tail, at, scanErr := parts[i].scan(w.r, buf, segments[i], w.size)
			err = errors.Join(err, scanErr)
			if i == len(segments)-1 {
				w.block, w.blockOff = tail, at
				buf = make([]byte, min(bufferSize, w.size-w.start)) // the tail stays
			}
		}
		return err
	})
	w.joinAll(parts)
	return err
}

// scanMapped indexes the window through a mapping, and tells whether it could:
// when not, nothing has happened.
func (w *window) scanMapped(f *os.File) bool {
	m, err := mapFile(f, w.start, w.size)
	if err != nil {
		return false
	}
	defer m.close()
	segments, parts := w.segments(mappedSegments)
	err = share(len(segments), func(next func() int) error {
		whole := guarded(func() {
			for i := next(); i >= 0; i = next() {
				parts[i].scanMapped(m, segments[i])
				m.forget(segments[i].from, segments[i].stop)
			}
		})
		if !whole {
			return io.ErrUnexpectedEOF
		}
		return nil
	})
	if err != nil {
		return false
	}
	w.joinAll(parts)
	return true
}

// share lets two workers take the numbers below n, the highest first: the end of
// the file is what is needed first. next returns -1 when none is left.
func share(n int, worker func(next func() int) error) error {
	var taken atomic.Int32
	next := func() int { return max(n-int(taken.Add(1)), -1) }
	helper := make(chan error, 1)
	if n > 1 {
		go func() { helper <- worker(next) }()
	} else {
		helper <- nil
	}
	err := worker(next)
	return errors.Join(err, <-helper)
}

// entriesAtFirst is the room for rows that a segment of a common window needs.
const entriesAtFirst = 128

// segments cuts the window into n pieces, with an index for each.
func (w *window) segments(n int) ([]segment, []index) {
	step := (w.size - w.start + int64(n) - 1) / int64(n)
	segments := make([]segment, 0, n)
	for from := w.start; len(segments) == 0 || from < w.size; from += step {
		segments = append(segments, segment{from: from, stop: min(from+step, w.size), inner: from > w.start})
	}
	parts := make([]index, len(segments))
	room := make([]entry, len(segments)*entriesAtFirst)
	for i := range parts {
		// No segment but the first can know whether a receipt stands before it,
		// so they look for what could close one in any case.
		parts[i] = index{validate: w.validate, launched: i > 0, limit: maxEntries / len(segments),
			entries: room[i*entriesAtFirst : i*entriesAtFirst : (i+1)*entriesAtFirst]}
	}
	return segments, parts
}

func (w *window) joinAll(parts []index) {
	w.index = parts[0]
	n := 0
	for i := range parts[1:] {
		n += len(parts[i+1].entries)
	}
	w.entries = slices.Grow(w.entries, n)
	for i := range parts[1:] {
		w.join(&parts[i+1])
	}
}

// splitFrom is the window size from which two goroutines pay for themselves.
const splitFrom = 2 << 20

// validateUpTo is the window size up to which every row is checked to be whole
// JSON in any case, because it costs nothing worth saving.
const validateUpTo = 512 << 10

// rowStart returns the offset of the first row that begins at or behind off.
func (w *window) rowStart(off int64) (int64, error) {
	w.block = make([]byte, 0, blockSize)
	for at := off - 1; at < w.size; {
		n, err := w.r.ReadAt(w.block[:min(blockSize, w.size-at)], at)
		if i := bytes.IndexByte(w.block[:n], '\n'); i >= 0 {
			return at + int64(i) + 1, nil
		}
		at += int64(n)
		if n == 0 {
			if err != nil && !errors.Is(err, io.EOF) {
				return 0, err
			}
			break
		}
	}
	return w.size, nil // one huge row: nothing to read (D-33)
}

// checkRow validates a row, from the buffer when it is whole there.
func (w *window) checkRow(off int64, line []byte, n int) bool {
	if len(line) == n {
		return valid(trimPadding(line))
	}
	_, ok := w.load(entry{off: off, n: int32(n)})
	return ok
}

// load reads one row into a string of its own. ok is false when the row is not
// one JSON value.
func (w *window) load(e entry) (string, bool) {
	var s string
	if int(e.n) > blockSize/2 {
		b, _ := w.read(make([]byte, e.n), e.off)
		if len(b) < int(e.n) {
			return "", false // the file shrank under us
		}
		s = alias(trimPadding(b)) // nobody else has these bytes: a second copy of a huge row is spared
	} else {
		b, _ := w.bytes(e.off, int(e.n))
		if len(b) < int(e.n) {
			return "", false
		}
		s = string(trimPadding(b))
	}
	return s, wellFormed(s)
}

// row reads a whole row, good until the next read.
func (w *window) row(e entry) []byte {
	b, _ := w.bytes(e.off, int(e.n))
	return trimPadding(b)
}

// peek reads at most the head of a row, good until the next read.
func (w *window) peek(e entry) []byte {
	b, _ := w.bytes(e.off, min(int(e.n), headLimit))
	return trimPadding(b)
}

func valid(b []byte) bool { return wellFormed(alias(b)) }

// alias views bytes as a string without copying them. It is only used on bytes
// that nobody writes while the string lives.
func alias(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// openFile opens a regular file, and tells a missing one from an unreadable one.
func openFile(path string) (f *os.File, size int64, blind string, err error) {
	if path == "" {
		return nil, 0, BlindNoPath, ErrNoPath
	}
	// A pipe that nobody writes to would hold the hook; it is refused below.
	f, err = os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, 0, BlindMissing, fmt.Errorf("transcript: %w", err)
		}
		return nil, 0, BlindUnreadable, fmt.Errorf("transcript: %w", err)
	}
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = fmt.Errorf("transcript: %s is no regular file; pass the session's .jsonl file", path)
	}
	if err != nil {
		f.Close()
		return nil, 0, BlindUnreadable, err
	}
	return f, st.Size(), "", nil
}
