package report

import (
	"cmp"
	"slices"
	"time"
)

// axis maps the time of a session to a line on which hours of silence take little
// room: time runs evenly where something happens, and gaps are all short.
type axis struct {
	from   time.Time
	pieces []piece
}

// piece is a stretch of time, in milliseconds from the start, and the room that it
// takes. The room of all pieces adds up to 1.
type piece struct {
	t0, t1 float64
	room   float64
	gap    bool
}

const (
	// gapFrom is the silence from which a gap is drawn short, in ms.
	gapFrom = 90_000
	// gapShare is the most that all gaps together take of the line.
	gapShare = 0.28
	// gapMost is the most that one gap takes of it.
	gapMost = 0.03
)

// newAxis finds the stretches in which something happened.
func newAxis(events []Event) axis {
	var a axis
	var last time.Time
	for _, e := range events {
		for _, t := range []time.Time{e.Time, e.End, e.Limit} {
			if t.IsZero() {
				continue
			}
			if a.from.IsZero() || t.Before(a.from) {
				a.from = t
			}
			if t.After(last) {
				last = t
			}
		}
	}
	if a.from.IsZero() {
		return a
	}
	busy := a.busy(events)
	end := max(a.ms(last), busy[len(busy)-1].t1) + 1 // so that no stretch is without length
	a.pieces = rooms(busy, end)
	return a
}

func (a axis) ms(t time.Time) float64 { return float64(t.Sub(a.from).Microseconds()) / 1000 }

// busy merges turns and calls, and points by themselves, into stretches. Tasks and
// handoffs wait for most of their time, so they make no stretch.
func (a axis) busy(events []Event) []piece {
	var all []piece
	for _, e := range events {
		if e.Time.IsZero() {
			continue
		}
		p := piece{t0: a.ms(e.Time), t1: a.ms(e.Time)}
		if (e.Kind == KindTurn || e.Kind == KindCall) && e.End.After(e.Time) {
			p.t1 = a.ms(e.End)
		}
		all = append(all, p)
	}
	if len(all) == 0 {
		return []piece{{t1: 1}}
	}
	slices.SortFunc(all, func(x, y piece) int { return cmp.Compare(x.t0, y.t0) })
	out := all[:1]
	for _, p := range all[1:] {
		if last := &out[len(out)-1]; p.t0-last.t1 < gapFrom {
			last.t1 = max(last.t1, p.t1)
		} else {
			out = append(out, p)
		}
	}
	return out
}

// rooms gives each stretch its share. A stretch that is short beside the others
// is given some of the silence behind it, so that what it holds can be seen.
func rooms(busy []piece, end float64) []piece {
	total := 0.0
	for _, p := range busy {
		total += p.t1 - p.t0
	}
	least := max(1000, total*0.3/float64(len(busy)))
	active, at := 0.0, 0.0
	var out []piece
	for i, p := range busy {
		next := end
		if i+1 < len(busy) {
			next = busy[i+1].t0
		}
		p.t1 = max(p.t1, min(p.t0+least, next))
		if next-p.t1 < gapFrom {
			p.t1 = next
		}
		if p.t0 > at {
			out = append(out, piece{t0: at, t1: p.t0, gap: true})
		}
		out = append(out, p)
		active += p.t1 - p.t0
		at = p.t1
	}
	if end > at {
		out = append(out, piece{t0: at, t1: end, gap: true})
	}
	gaps := 0
	for _, p := range out {
		if p.gap {
			gaps++
		}
	}
	each := 0.0
	if gaps > 0 {
		each = min(gapMost, gapShare/float64(gaps))
	}
	for i := range out {
		if out[i].gap {
			out[i].room = each
		} else {
			out[i].room = (out[i].t1 - out[i].t0) / active * (1 - each*float64(gaps))
		}
	}
	return out
}

// at is the place of an instant, 0 to 1.
func (a axis) at(ms float64) float64 {
	u := 0.0
	for _, p := range a.pieces {
		if ms <= p.t1 {
			if p.t1 > p.t0 && ms > p.t0 {
				u += p.room * (ms - p.t0) / (p.t1 - p.t0)
			}
			return u
		}
		u += p.room
	}
	return min(u, 1)
}
