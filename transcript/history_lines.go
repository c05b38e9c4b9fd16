package transcript

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"
)

// number fills in the lines of everything that was kept. The first pass does not
// count them, since no decision needs a line; people do.
func (b *historian) number(r io.ReaderAt) error {
	places := b.places()
	slices.SortFunc(places, func(x, y *At) int { return cmp.Compare(x.Offset, y.Offset) })
	buf := make([]byte, min(max(b.size, 1), historyBuffer))
	newline := []byte{'\n'}
	lines, next := 0, 0 // newlines before off; the first place that has no line
	var last byte = '\n'
	for off := int64(0); off < b.size; {
		n, err := r.ReadAt(buf[:min(int64(len(buf)), b.size-off)], off)
		if n == 0 {
			if err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			break // the file shrank under us
		}
		done := 0
		for ; next < len(places) && places[next].Offset < off+int64(n); next++ {
			to := int(places[next].Offset - off)
			lines += bytes.Count(buf[done:to], newline)
			done = to
			places[next].Line = lines + 1
		}
		lines += bytes.Count(buf[done:n], newline)
		last = buf[n-1]
		off += int64(n)
	}
	b.out.Lines = lines
	if last != '\n' {
		b.out.Lines++
	}
	return nil
}

// places are all positions that want a line: those of rows that exist.
func (b *historian) places() []*At {
	h := b.out
	out := make([]*At, 0, 2*(len(h.Turns)+len(h.Calls)+len(h.Tasks))+len(h.Replies)+len(h.Notices)+len(h.Marks))
	for i := range h.Turns {
		out = append(out, &h.Turns[i].At, &h.Turns[i].End)
	}
	for i := range h.Calls {
		out = append(out, &h.Calls[i].At)
		if h.Calls[i].Answer != (At{}) {
			out = append(out, &h.Calls[i].Answer)
		}
	}
	for i := range h.Replies {
		out = append(out, &h.Replies[i].At)
	}
	for i := range h.Tasks {
		out = append(out, &h.Tasks[i].Opened)
		if h.Tasks[i].EndedAt != nil {
			out = append(out, &h.Tasks[i].Ended)
		}
	}
	for i := range h.Handoffs {
		out = append(out, &h.Handoffs[i].Opened)
		if h.Handoffs[i].Closer != nil {
			out = append(out, &h.Handoffs[i].Closed)
		}
	}
	for i := range h.Notices {
		out = append(out, &h.Notices[i].At)
	}
	for i := range h.Marks {
		out = append(out, &h.Marks[i].At)
	}
	for i := range h.Subagents {
		out = append(out, &h.Subagents[i].At, &h.Subagents[i].End)
	}
	return out
}
