package transcript

import (
	"io"
	"time"
)

// last is what the end of a transcript says: the session that its newest
// conversation row belongs to, and when asked for, the latest time of the
// conversation rows there.
func last(r io.ReaderAt, size int64, timed bool) (session string, newest time.Time) {
	for _, limit := range []int64{DefaultBoxWindow, DefaultWindow} {
		w := &window{r: r, size: size, start: max(0, size-limit)}
		if w.start > 0 {
			next, err := w.rowStart(w.start)
			if err != nil {
				return "", time.Time{}
			}
			w.start = next
		}
		if w.scanRead(1) != nil {
			return "", time.Time{}
		}
		f := fold{window: w}
		if session = f.latest(&Session{}); session != "" || w.start == 0 {
			if timed {
				newest = f.newest()
			}
			return session, newest
		}
	}
	return "", time.Time{}
}

// newest is the latest time of the window's conversation rows.
func (f *fold) newest() (at time.Time) {
	for _, e := range f.entries {
		if e.class != classUser && e.class != classAssistant && e.class != classUnknown {
			continue
		}
		if r, ok := f.decode(e); ok && r.pos.Time.After(at) {
			at = r.pos.Time
		}
	}
	return at
}
