package report

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// geometry is what the page's script draws the timeline from: places and states,
// and short labels. Everything else that it shows it takes from the list.
type geometry struct {
	From   int64        `json:"from"` // Unix time in ms
	Zone   int          `json:"zone"` // seconds east of UTC
	Pieces [][4]float64 `json:"pieces"`
	Lanes  []lane       `json:"lanes"`
	Events []mark       `json:"events"`
}

// lane is one band of the timeline; bars that overlap stand in rows.
type lane struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Rows  int    `json:"rows"`
	Count int    `json:"count"`
	most  int    // rows at most; what does not fit shares the last one
	point bool   // its events are points
	ends  []float64
}

// mark is one event as a list, for a short page: lane, row, from, to, state,
// fragment, label, flags (1 open, 2 no time of its own), limit.
type mark struct {
	lane, row   int
	from, to    float64
	state, ref  string
	label, kind string
	flags       int
	limit       float64
}

func (m mark) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{m.lane, m.row, m.from, m.to, m.state, m.ref, m.label, m.kind, m.flags, m.limit})
}

const (
	flagOpen   = 1
	flagNoTime = 2
)

// labelLimit is how much of a text a bar carries, in bytes.
const labelLimit = 48

func lanes() []lane {
	return []lane{
		{Name: KindStop, Title: "Stops", most: 1, point: true},
		{Name: KindTurn, Title: "Turns", most: 1},
		{Name: KindReply, Title: "Replies", most: 1, point: true},
		{Name: KindCall, Title: "Tool calls", most: 4},
		{Name: KindTask, Title: "Background tasks", most: 10},
		{Name: KindHandoff, Title: "Handoffs", most: 5},
		{Name: KindNotice, Title: "Notifications", most: 1, point: true},
		{Name: KindSubagent, Title: "Subagents", most: 6},
		{Name: KindMark, Title: "Marks", most: 1, point: true},
	}
}

// layOut places all events. Lanes without events are left out.
func layOut(events []Event, a axis, zone *time.Location) geometry {
	g := geometry{Lanes: lanes(), Events: make([]mark, 0, len(events))}
	if a.from.IsZero() {
		g.Lanes = []lane{}
		return g
	}
	g.From = a.from.UnixMilli()
	_, g.Zone = a.from.In(zone).Zone()
	u := 0.0
	for _, p := range a.pieces {
		gap := 0.0
		if p.gap {
			gap = 1
		}
		g.Pieces = append(g.Pieces, [4]float64{round(p.t0), round(p.t1), u, gap})
		u += p.room
	}
	end := a.pieces[len(a.pieces)-1].t1
	latest := 0.0 // of the rows so far: where a row without a time stands
	for _, e := range events {
		m := mark{lane: slices.IndexFunc(g.Lanes, func(l lane) bool { return l.Name == e.Kind }), state: e.State, ref: e.Ref,
			kind: filterOf(e), label: label(e)}
		if e.Time.IsZero() {
			m.from, m.flags = latest, flagNoTime
		} else {
			m.from = round(a.ms(e.Time))
			latest = m.from
		}
		m.to = m.from
		switch {
		case g.Lanes[m.lane].point:
		case e.Open:
			m.flags |= flagOpen
			if m.to = round(end); e.Kind == KindCall {
				m.to = m.from
			}
		case !e.End.IsZero():
			m.to = max(m.from, round(a.ms(e.End)))
		}
		if !e.Limit.IsZero() {
			m.limit = round(a.ms(e.Limit))
		}
		m.row = g.Lanes[m.lane].place(m)
		g.Lanes[m.lane].Count++
		g.Events = append(g.Events, m)
	}
	return g.packed()
}

// place finds the first row that is free at the mark's start.
func (l *lane) place(m mark) int {
	if l.point {
		l.Rows = 1
		return 0
	}
	end := max(m.to, m.limit)
	for i, busy := range l.ends {
		if busy <= m.from {
			l.ends[i] = end
			return i
		}
	}
	if len(l.ends) < l.most {
		l.ends = append(l.ends, end)
		l.Rows = len(l.ends)
		return l.Rows - 1
	}
	last := len(l.ends) - 1
	l.ends[last] = max(l.ends[last], end)
	return last
}

// packed drops empty lanes and sorts the marks by lane and time.
func (g geometry) packed() geometry {
	to := make([]int, len(g.Lanes))
	var kept []lane
	for i, l := range g.Lanes {
		to[i] = len(kept)
		if l.Count > 0 {
			kept = append(kept, l)
		}
	}
	g.Lanes = kept
	for i := range g.Events {
		g.Events[i].lane = to[g.Events[i].lane]
	}
	slices.SortStableFunc(g.Events, func(x, y mark) int { return cmp.Or(cmp.Compare(x.lane, y.lane), cmp.Compare(x.from, y.from)) })
	return g
}

func round(ms float64) float64 { return float64(int64(ms + 0.5)) }

// filterOf is the switch that an event obeys.
func filterOf(e Event) string {
	switch {
	case e.Kind == KindStop:
		return e.State
	case e.Kind == KindCall && e.State == "failed":
		return "failed"
	}
	return e.Kind
}

// label is what a bar says.
func label(e Event) string {
	text := e.Title
	switch e.Kind {
	case KindTurn:
		if text = e.Text; e.State != "human" {
			text = e.Title
		}
	case KindCall:
		text = e.Title + " " + e.Text
	case KindTask, KindHandoff:
		text = strings.TrimPrefix(strings.TrimPrefix(e.Title, "Handoff of "), "shell task ") + " " + e.Text
	case KindReply, KindNotice, KindMark:
		return ""
	}
	return clip(strings.Join(strings.Fields(text), " "), labelLimit)
}
