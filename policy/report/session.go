package report

import (
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"time"

	"github.com/stophook/stophook/policy/replay"
	"github.com/stophook/stophook/transcript"
)

// WriteSession writes one session as a page. s holds the decisions of the same
// file; nil when nothing was decided. Nothing is written when it fails.
func WriteSession(w io.Writer, h *transcript.History, s *replay.Session, opts Options) error {
	opts = opts.withDefaults()
	return WriteDocument(w, NewDocument(h, s, opts), opts)
}

// WriteDocument writes the page of a document.
func WriteDocument(w io.Writer, d *Document, opts Options) error {
	opts = opts.withDefaults()
	zone := opts.zone(d.Session.From)
	a := newAxis(d.Events)
	data, err := json.Marshal(layOut(d.Events, a, zone))
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	p, err := newPage(opts.Now, zone, "theme.js", "timeline.js", "session.js")
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	p.Zone = zoneName(d.Session.From, zone)
	v := sessionView{page: p, Document: d, Data: template.JS(data), zone: zone, //nolint:gosec // json.Marshal escapes <, > and &
		Groups: groups(d.Events, zone), Overview: overview(d.Events, a)}
	return render(w, "session.html.tmpl", v)
}

// sessionView is what the template of a session shows.
type sessionView struct {
	page
	*Document
	Data     template.JS
	Groups   []group
	Overview []stroke
	zone     *time.Location
}

// group is one turn of the list.
type group struct {
	N      int
	Title  string
	Text   string
	State  string
	Ref    string
	Day    string // when it differs from the group's before
	From   string
	To     string
	Span   string
	Rows   []row
	Stops  []row
	Number int
}

// row is one event of the list.
type row struct {
	Event
	Filter string
	Glyph  string
	Clock  string
	Took   string
}

func groups(events []Event, zone *time.Location) []group {
	var out []group
	day := ""
	for _, e := range events {
		if len(out) == 0 || e.Kind == KindTurn {
			g := group{N: len(out), Number: e.Turn, Title: "Before the first turn", State: "other"}
			if e.Kind == KindTurn {
				g.Title, g.Text, g.State = e.Title, e.Text, e.State
			}
			if !e.Time.IsZero() {
				t := e.Time.In(zone)
				if d := t.Format("Monday, 2 January 2006"); d != day {
					day, g.Day = d, d
				}
				g.From = t.Format("15:04:05")
				if e.Kind == KindTurn && e.End.After(e.Time) {
					g.To, g.Span = e.End.In(zone).Format("15:04:05"), span(e.End.Sub(e.Time))
				}
			}
			g.Ref = e.Ref
			out = append(out, g)
		}
		g := &out[len(out)-1]
		r := newRow(e, zone)
		g.Rows = append(g.Rows, r)
		if e.Kind == KindStop {
			g.Stops = append(g.Stops, r)
		}
	}
	return out
}

func newRow(e Event, zone *time.Location) row {
	r := row{Event: e, Filter: filterOf(e), Glyph: filterOf(e)}
	if !e.Time.IsZero() {
		r.Clock = e.Time.In(zone).Format("15:04:05")
	}
	if e.Kind != KindTurn && !e.End.IsZero() && !e.Time.IsZero() && !e.Open {
		r.Took = span(e.End.Sub(e.Time))
	}
	return r
}

// stroke is one line of the small picture of the whole session.
type stroke struct {
	X, Y, W, H float64
	Class      string
}

// overviewWidth is the width of the picture in its own units.
const overviewWidth = 1000

// overview draws turns, background work and stops. It needs no script. Strokes
// that would lie on each other are drawn once.
func overview(events []Event, a axis) []stroke {
	var out []stroke
	seen := map[stroke]bool{}
	if a.from.IsZero() {
		return nil
	}
	end := a.pieces[len(a.pieces)-1].t1
	for _, e := range events {
		if e.Time.IsZero() {
			continue
		}
		from := a.ms(e.Time)
		to := from
		if e.End.After(e.Time) {
			to = a.ms(e.End)
		} else if e.Open && e.Kind != KindCall {
			to = end
		}
		s := stroke{X: tenth(a.at(from) * overviewWidth), Class: e.Kind + " " + e.State}
		s.W = max(1, tenth(a.at(to)*overviewWidth-s.X))
		switch e.Kind {
		case KindTurn:
			s.Y, s.H = 16, 8
		case KindTask, KindHandoff:
			s.Y, s.H = 28, 3
			if e.Kind == KindHandoff {
				s.Y = 33
			}
		case KindStop:
			s.Y, s.H, s.W = 2, 12, 2.5
			switch e.State { // the longer, the worse: colour does not say it alone
			case classAllow:
				s.Y, s.H, s.W = 9, 5, 1.5
			case classDefer:
				s.Y, s.H = 6, 8
			}
		default:
			continue
		}
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

func tenth(x float64) float64 { return float64(int64(x*10+0.5)) / 10 }
