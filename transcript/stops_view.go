package transcript

// view is the window that [openWindow] would have made at the given end, out of
// the rows that are indexed already; nil when it has to be read for itself: one
// that has every row checked, unless that was done here and all are well, and one
// with so many rows that some are forgotten.
func (t *tape) view(end int64, opts Options) *window {
	w := t.bare(end)
	if w.start = max(0, end-opts.Window); w.start < t.from {
		return nil
	}
	if i := t.markAt(w.start); i < len(t.marks) && t.marks[i].off < end {
		w.start = t.marks[i].off
	} else {
		w.start = end // one huge row: nothing to read (D-33)
	}
	if checked := opts.Validate || end-w.start <= validateUpTo; checked {
		if end > validateUpTo || w.start > 0 || t.counted(end).invalid > 0 {
			return nil
		}
		w.validate = w.checkRow
	}
	if !t.fill(w) {
		return nil
	}
	return w
}

// fill gives a window its index, and tells whether it could.
func (t *tape) fill(w *window) bool {
	lo, hi := t.entryAt(w.start), t.entryAt(w.size)
	w.entries = t.entries[lo:hi:hi]
	for _, n := range []int{readSegments, mappedSegments} {
		if crowded(w, n) {
			return false
		}
	}
	from, to := t.counted(w.start), t.counted(w.size)
	w.rows, w.bad, w.known = int(to.rows-from.rows), int(to.bad-from.bad), to.known != from.known
	return true
}

// crowded tells whether one of n segments holds so many rows that reading it would
// have forgotten some.
func crowded(w *window, n int) bool {
	limit := maxEntries / n
	if len(w.entries) < limit {
		return false
	}
	step := (w.size - w.start + int64(n) - 1) / int64(n)
	counts := make([]int, n)
	for _, e := range w.entries {
		i := (e.off - w.start) / step
		if counts[i]++; counts[i] >= limit {
			return true
		}
	}
	return false
}
