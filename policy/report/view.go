package report

import (
	"cmp"
	"time"
)

// Heading names the session for the title of the page.
func (v sessionView) Heading() string { return cmp.Or(v.Session.ID, v.Session.File, "session") }

// Dates says when the session was.
func (v sessionView) Dates() string {
	from, to := v.Session.From, v.Session.To
	if from.IsZero() {
		return "no time in the transcript"
	}
	const day, clock = "2 Jan 2006, ", "15:04:05"
	f, t := from.In(v.zone), to.In(v.zone)
	if f.YearDay() == t.YearDay() && f.Year() == t.Year() {
		return f.Format(day+clock) + " – " + t.Format(clock)
	}
	return f.Format(day+clock) + " – " + t.Format(day+clock)
}

// Lasted is how long the session was.
func (v sessionView) Lasted() string {
	if v.Session.From.IsZero() {
		return ""
	}
	return span(v.Session.To.Sub(v.Session.From))
}

// SizeText is the size of the transcript.
func (v sessionView) SizeText() string { return size(v.Session.Size) }

// LinesText is the number of lines.
func (v sessionView) LinesText() string { return plural(v.Session.Lines, "line") }

// share is one part of a bar of a hundred.
type share struct {
	Class string
	Name  string
	N     int
	X, W  float64 // percent
}

// Shares are the stops by verdict, those that happened.
func (v sessionView) Shares() []share {
	c := v.Counts
	return shares(c.Blocked, c.Deferred, c.Allowed, c.Faults)
}

func shares(blocked, deferred, allowed, faults int) []share {
	parts := []share{{Class: classBlock, Name: "blocked", N: blocked}, {Class: classDefer, Name: "deferred", N: deferred},
		{Class: classAllow, Name: "allowed", N: allowed}, {Class: classFault, Name: "not decided", N: faults}}
	total := blocked + deferred + allowed + faults
	var out []share
	x := 0.0
	for _, p := range parts {
		if p.N == 0 {
			continue
		}
		p.X, p.W = x, 100*float64(p.N)/float64(total)
		x += p.W
		out = append(out, p)
	}
	return out
}

// toggle is one switch of the filter.
type toggle struct {
	Filter, Name string
	N            int
}

// Toggles are the switches for kinds that the page has.
func (v sessionView) Toggles() []toggle {
	all := []toggle{{classBlock, "Blocked", 0}, {classDefer, "Deferred", 0}, {classAllow, "Allowed", 0}, {classFault, "Not decided", 0},
		{KindTurn, "Turns", 0}, {KindReply, "Replies", 0}, {KindCall, "Tool calls", 0}, {"failed", "Failed calls", 0}, {KindTask, "Tasks", 0},
		{KindHandoff, "Handoffs", 0}, {KindNotice, "Notifications", 0}, {KindSubagent, "Subagents", 0}, {KindMark, "Marks", 0}}
	n := map[string]int{}
	for _, e := range v.Events {
		n[filterOf(e)]++
	}
	var out []toggle
	for _, t := range all {
		if t.N = n[t.Filter]; t.N > 0 {
			out = append(out, t)
		}
	}
	return out
}

// Count writes a number for people.
func (page) Count(n int) string { return count(n) }

// Count64 writes an offset for people.
func (page) Count64(n int64) string { return count(int(n)) }

// Plural is a count with its noun.
func (page) Plural(n int, what string) string { return plural(n, what) }

// Stamp is an instant for programs.
func (page) Stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// Short is a code without the prefix of the built-in ones.
func (page) Short(code string) string { return shortCode(code) }

// size is a number of bytes in binary units.
func size(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB"}
	f, i := float64(n), 0
	for f >= 1024 && i < len(units)-1 {
		f, i = f/1024, i+1
	}
	if i == 0 || f >= 100 {
		return count(int(f)) + " " + units[i]
	}
	return trimZero(f) + " " + units[i]
}
