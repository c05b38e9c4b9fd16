package report

import (
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/stophook/stophook/policy/replay"
)

// Limits of a replay page.
const (
	maxSessions  = 2000 // rows of the table
	maxHardStops = 25   // blocked stops shown of one session
)

// WriteReplay writes what a policy would have done in many sessions as a page.
// Nothing is written when it fails. Of the options, MaxEvents does not count.
func WriteReplay(w io.Writer, r *replay.Result, opts Options) error {
	opts = opts.withDefaults()
	v := replayView{Result: r, Policy: clip(opts.Policy, excerptLimit)}
	for i := range r.Sessions {
		for _, s := range r.Sessions[i].Stops {
			v.span.add(s.Time)
		}
	}
	v.zone = opts.zone(v.span.from)
	p, err := newPage(opts.Now, v.zone, "theme.js", "replay.js")
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	p.Zone = zoneName(v.span.from, v.zone)
	v.page = p
	v.sessions()
	v.columns()
	v.hard()
	v.words(opts.Limits)
	return render(w, "replay.html.tmpl", &v)
}

// replayView is what the template of a replay shows.
type replayView struct {
	page
	*replay.Result
	Policy   string
	Rows     []sessionRow
	Omitted  int
	Columns  []column
	Ends     columnEnds
	Hard     []hardSession
	Notes    []string
	Faults   int
	Deferred string
	zone     *time.Location
	span     timeSpan
}

// timeSpan is the earliest and the latest of some instants.
type timeSpan struct{ from, to time.Time }

func (s *timeSpan) add(t time.Time) {
	if t.IsZero() {
		return
	}
	if s.from.IsZero() || t.Before(s.from) {
		s.from = t
	}
	if t.After(s.to) {
		s.to = t
	}
}

// sessionRow is one line of the table.
type sessionRow struct {
	ID, File, Path, Evidence, Error, When string
	Stops, Blocked, Deferred, Allowed     int
	Faults, Chain                         int
	Size                                  int64
	SizeText                              string
	At                                    int64 // Unix time in ms, to sort by
	Shares                                []share
}

func (v *replayView) sessions() {
	for i := range v.Result.Sessions {
		s := &v.Result.Sessions[i]
		r := sessionRow{ID: word(s.ID), File: tail(s.Path), Path: clip(s.Path, excerptLimit), Evidence: word(s.Evidence),
			Error: clip(s.Error, excerptLimit), Stops: len(s.Stops), Size: s.Size, SizeText: size(s.Size)}
		var when timeSpan
		chain := 0
		for _, stop := range s.Stops {
			when.add(stop.Time)
			class := classOf(stop.Verdict, stop.Code)
			if class == classBlock {
				chain++
				r.Chain = max(r.Chain, chain)
			} else {
				chain = 0
			}
			switch class {
			case classBlock:
				r.Blocked++
			case classDefer:
				r.Deferred++
			case classFault:
				r.Faults++
			default:
				r.Allowed++
			}
		}
		v.Faults += r.Faults
		if !when.from.IsZero() {
			r.When, r.At = when.from.In(v.zone).Format("2 Jan 2006, 15:04"), when.from.UnixMilli()
		}
		r.Shares = shares(r.Blocked, r.Deferred, r.Allowed, r.Faults)
		if len(v.Rows) < maxSessions {
			v.Rows = append(v.Rows, r)
		} else {
			v.Omitted++
		}
	}
	v.Deferred = "none"
	if d := time.Duration(v.Totals.DeferredSeconds * float64(time.Second)); d > 0 {
		v.Deferred = span(d)
	}
}

// hardSession is one of the sessions hit hardest, with its blocked stops.
type hardSession struct {
	ID, File, Path string
	Stops, Blocks  int
	Blocked        []hardStop
	More           int
}

type hardStop struct {
	Line   int
	Clock  string
	Code   string
	Reason string
	Before int
}

func (v *replayView) hard() {
	byPath := map[string]*replay.Session{}
	for i := range v.Result.Sessions {
		byPath[v.Result.Sessions[i].Path] = &v.Result.Sessions[i]
	}
	for _, hit := range v.Totals.Hardest {
		h := hardSession{ID: word(hit.ID), File: tail(hit.Path), Path: clip(hit.Path, excerptLimit), Stops: hit.Stops, Blocks: hit.Blocks}
		if s := byPath[hit.Path]; s != nil {
			for _, stop := range s.Stops {
				if classOf(stop.Verdict, stop.Code) != classBlock {
					continue
				}
				if len(h.Blocked) == maxHardStops {
					h.More++
					continue
				}
				b := hardStop{Line: stop.Line, Code: word(stop.Code), Reason: clip(stop.Reason, reasonLimit/2), Before: stop.Blocks}
				if !stop.Time.IsZero() {
					b.Clock = stop.Time.In(v.zone).Format("2 Jan, 15:04:05")
				}
				h.Blocked = append(h.Blocked, b)
			}
		}
		v.Hard = append(v.Hard, h)
	}
}

// words says what the page does not show.
func (v *replayView) words(more []string) {
	for _, text := range append(v.Result.Limits, more...) {
		v.Notes = append(v.Notes, clip(text, reasonLimit))
	}
	if v.Omitted > 0 {
		v.Notes = append(v.Notes, fmt.Sprintf("The table has the first %s sessions; %s more are in the totals.", count(maxSessions), count(v.Omitted)))
	}
	if v.Totals.Unreadable > 0 {
		v.Notes = append(v.Notes, plural(v.Totals.Unreadable, "file")+" could not be read.")
	}
}

// Shares are the verdicts of all stops.
func (v *replayView) Shares() []share {
	return shares(v.Totals.Block, v.Totals.Defer, v.Totals.Allow-v.Faults, v.Faults)
}

// Rate is the share of blocked stops.
func (v *replayView) Rate() string { return fmt.Sprintf("%.1f %%", 100*v.Totals.BlockRate) }

// Part is a number as percent of all stops, for bars.
func (v *replayView) Part(n int) float64 {
	if v.Totals.Stops == 0 {
		return 0
	}
	return tenth(100 * float64(n) / float64(v.Totals.Stops))
}

// Class is how a code is drawn.
func (v *replayView) Class(verdict, code string) string { return classOf(verdict, code) }

// Word makes a name of a policy or a transcript safe to read.
func (v *replayView) Word(s string) string { return word(s) }

// Tail is a file with the folder that it lies in: the file alone says little where
// all are called the same.
func (v *replayView) Tail(path string) string { return tail(path) }

func tail(path string) string {
	return word(filepath.Join(filepath.Base(filepath.Dir(path)), filepath.Base(path)))
}

// Dates says when the stops were.
func (v *replayView) Dates() string {
	if v.span.from.IsZero() {
		return ""
	}
	f, t := v.span.from.In(v.zone).Format("2 Jan 2006"), v.span.to.In(v.zone).Format("2 Jan 2006")
	if f == t {
		return f
	}
	return f + " – " + t
}

// Bytes is how much was read.
func (v *replayView) Bytes() string { return size(v.Totals.Bytes) }
