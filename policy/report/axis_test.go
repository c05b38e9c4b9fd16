package report

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestAxis_gapsAreShort(t *testing.T) {
	t.Parallel()
	turn := func(from, to time.Duration) Event {
		return Event{Kind: KindTurn, Time: at0.Add(from), End: at0.Add(to)}
	}
	a := newAxis([]Event{turn(0, 10*time.Minute), turn(11*time.Minute, 20*time.Minute), turn(38*time.Hour, 38*time.Hour+20*time.Minute)})
	if len(a.pieces) != 3 || !a.pieces[1].gap {
		t.Fatalf("pieces = %+v, want two stretches and the gap between them", a.pieces)
	}
	if gap := a.pieces[1].room; gap > gapMost {
		t.Errorf("a gap of 37 hours takes %.3f of the line, want %.3f at most", gap, gapMost)
	}
	if first, second := a.pieces[0].room, a.pieces[2].room; math.Abs(first-second) > 0.02 {
		t.Errorf("two stretches of 20 minutes take %.3f and %.3f", first, second)
	}
}

// Whatever the times are, the axis is one line from 0 to 1 that never goes back.
func TestAxis_isMonotonous(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		events := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Event {
			e := Event{Kind: rapid.SampledFrom([]string{KindTurn, KindCall, KindTask, KindHandoff, KindStop}).Draw(t, "kind")}
			if rapid.Bool().Draw(t, "timed") {
				e.Time = at0.Add(time.Duration(rapid.Int64Range(-1e15, 1e16).Draw(t, "at")))
				e.End = e.Time.Add(time.Duration(rapid.Int64Range(-1e13, 1e14).Draw(t, "lasts")))
			}
			return e
		}), 0, 40).Draw(t, "events")
		a := newAxis(events)
		if a.from.IsZero() {
			for _, e := range events {
				if !e.Time.IsZero() {
					t.Fatalf("no axis, though %+v has a time", e)
				}
			}
			return
		}
		room, at := 0.0, 0.0
		for _, p := range a.pieces {
			if p.t0 != at || p.t1 < p.t0 || p.room < 0 || math.IsNaN(p.room) {
				t.Fatalf("piece %+v does not follow %v in %+v", p, at, a.pieces)
			}
			at, room = p.t1, room+p.room
		}
		if math.Abs(room-1) > 1e-6 {
			t.Fatalf("the pieces take %v of the line: %+v", room, a.pieces)
		}
		last := 0.0
		for ms := 0.0; ms <= at; ms += max(at/50, 1) {
			u := a.at(ms)
			if u < last-1e-9 || u > 1+1e-9 {
				t.Fatalf("at %v the place is %v, before it was %v", ms, u, last)
			}
			last = u
		}
		for _, m := range layOut(events, a, time.UTC).Events {
			if m.to < m.from || m.lane < 0 {
				t.Fatalf("mark %+v ends before it begins, or has no lane", m)
			}
		}
	})
}

func TestLane_overlapsStandInRows(t *testing.T) {
	t.Parallel()
	task := func(from, to int) Event {
		e := Event{Kind: KindTask, Time: at0.Add(secs(from)), End: at0.Add(secs(to))}
		if to == 0 {
			e.Open, e.End = true, time.Time{}
		}
		return e
	}
	events := []Event{task(0, 100), task(10, 20), task(30, 0), task(40, 50), task(120, 130)}
	g := layOut(events, newAxis(events), time.UTC)
	if len(g.Lanes) != 1 || g.Lanes[0].Rows != 3 || g.Lanes[0].Count != 5 {
		t.Fatalf("lanes = %+v, want one with three rows", g.Lanes)
	}
	var rows []int
	for _, m := range g.Events {
		rows = append(rows, m.row)
	}
	for i, want := range []int{0, 1, 1, 2, 0} {
		if rows[i] != want {
			t.Errorf("rows = %v, want 0 1 1 2 0: a row is used again when it is free", rows)
			break
		}
	}
	if m := g.Events[2]; m.flags != flagOpen || m.to != 130_001 {
		t.Errorf("the task without an end is %+v, want open until the last instant", m)
	}
}
