package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/stophook/stophook/internal/term"
	"github.com/stophook/stophook/policy"
	"github.com/stophook/stophook/policy/replay"
)

// replayText prints a replay for people: the figures, then where to look.
type replayText struct {
	style term.Style
	home  string // shown as ~
	stops bool   // list every stop that was not allowed
}

func (r replayText) print(w io.Writer, res *replay.Result) error {
	t := &res.Totals
	r.head(w, res)
	if t.Stops > 0 {
		r.verdicts(w, t)
		r.rules(w, t)
		r.hardest(w, t)
	}
	if r.stops {
		r.list(w, res)
	}
	r.unread(w, res)
	fmt.Fprintf(w, "\n%s\n", r.style.Bold("What a replay cannot know"))
	for _, l := range res.Limits {
		fmt.Fprintf(w, "  - %s\n", term.Wrap(l, 76, "    "))
	}
	return nil
}

func (r replayText) head(w io.Writer, res *replay.Result) {
	t := &res.Totals
	fmt.Fprintf(w, "%s in %s", r.style.Bold(term.Plural(t.Stops, "stop")), term.Plural(t.Sessions, "session"))
	if first, last := span(res.Sessions); !first.IsZero() {
		from, to := first.UTC().Format(time.DateOnly), last.UTC().Format(time.DateOnly)
		if from == to {
			fmt.Fprintf(w, " on %s", from)
		} else {
			fmt.Fprintf(w, ", %s to %s", from, to)
		}
	}
	fmt.Fprintf(w, " (%s, %s)\n", term.Plural(t.Files, "transcript"), term.Size(t.Bytes))
	var beside []string
	for _, b := range []struct {
		n    int
		what string
	}{{t.NoStop, "without a stop"}, {t.BeforeSince, "before --since"}, {t.Subagents, "of subagents, left out"}, {t.Unreadable, "unreadable"}} {
		if b.n > 0 {
			beside = append(beside, fmt.Sprintf("%d %s", b.n, b.what))
		}
	}
	if len(beside) > 0 {
		fmt.Fprintf(w, "  beside these: %s\n", strings.Join(beside, ", "))
	}
}

// span is the time from the first to the last stop.
func span(sessions []replay.Session) (first, last time.Time) {
	for _, s := range sessions {
		for _, stop := range s.Stops {
			if stop.Time.IsZero() {
				continue
			}
			if first.IsZero() || stop.Time.Before(first) {
				first = stop.Time
			}
			if stop.Time.After(last) {
				last = stop.Time
			}
		}
	}
	return first, last
}

func (r replayText) verdicts(w io.Writer, t *replay.Totals) {
	fmt.Fprintln(w)
	for _, v := range []struct {
		name string
		n    int
		more string
	}{
		{policy.VerdictAllow, t.Allow, warned(t)},
		{policy.VerdictBlock, t.Block, r.chain(t)},
		{policy.VerdictDefer, t.Defer, deferred(t)},
	} {
		fmt.Fprintf(w, "  %s %6d  %6s", r.style.Verdict(v.name), v.n, percent(v.n, t.Stops))
		if v.more != "" {
			fmt.Fprintf(w, "   %s", v.more)
		}
		fmt.Fprintln(w)
	}
	if known := t.Agree + t.Differ; known > 0 {
		fmt.Fprintf(w, "  the hooks that ran then agree at %d of the %d stops of which the host recorded an answer\n", t.Agree, known)
	}
	fmt.Fprintf(w, "  evidence: %d of the sessions have a ledger, %d show their evidence commands, %d have none\n",
		t.Evidence.Ledger, t.Evidence.Transcript, t.Evidence.None)
}

func warned(t *replay.Totals) string {
	if t.Warned == 0 {
		return ""
	}
	return fmt.Sprintf("%d with a warning", t.Warned)
}

func (r replayText) chain(t *replay.Totals) string {
	if t.LongestChain == nil {
		return ""
	}
	return fmt.Sprintf("longest chain %d: %s", t.LongestChain.Length, r.lines(t.LongestChain.Path, t.LongestChain.Lines))
}

func deferred(t *replay.Totals) string {
	if t.Defer == 0 {
		return ""
	}
	return "put off for " + time.Duration(t.DeferredSeconds*float64(time.Second)).Round(time.Second).String() + " in all"
}

func percent(n, of int) string {
	if of == 0 {
		return "-"
	}
	return strconv.FormatFloat(float64(n)*100/float64(of), 'f', 1, 64) + " %"
}

// path is short enough to read and long enough to open.
func (r replayText) path(path string) string {
	if r.home != "" {
		if rest, ok := strings.CutPrefix(path, r.home+string(filepath.Separator)); ok {
			path = "~" + string(filepath.Separator) + rest
		}
	}
	return term.OneLine(path, 200)
}

// lines names places in a file: the first as editors open it, then the others.
func (r replayText) lines(path string, lines []int) string {
	const most = 8
	var b strings.Builder
	b.WriteString(r.path(path))
	for i, n := range lines {
		if i == most {
			fmt.Fprintf(&b, " and %d more", len(lines)-most)
			break
		}
		sep := ", "
		if i == 0 {
			sep = ":"
		}
		fmt.Fprintf(&b, "%s%d", sep, n)
	}
	return b.String()
}

func (r replayText) rules(w io.Writer, t *replay.Totals) {
	fmt.Fprintf(w, "\n%s\n", r.style.Bold("Codes"))
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range t.Codes {
		fmt.Fprintf(tw, "  %s\t%s\t%d\t%s\n", term.Word(c.Code), c.Verdict, c.Stops, percent(c.Stops, t.Stops))
	}
	tw.Flush()
	if len(t.Rules) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\n", r.style.Bold("Rules, in stops"))
	fmt.Fprintln(tw, "  \tblocked\tdeferred\twarned\tobserved\tlet pass")
	for _, c := range t.Rules {
		fmt.Fprintf(tw, "  %s\t%d\t%d\t%d\t%d\t%d\n", term.Word(c.Rule), c.Blocked, c.Deferred, c.Warned, c.Observed, c.Let)
	}
	tw.Flush()
}

func (r replayText) hardest(w io.Writer, t *replay.Totals) {
	if len(t.Hardest) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\n", r.style.Bold("Hit hardest"))
	for _, h := range t.Hardest {
		fmt.Fprintf(w, "  %d of %s blocked  %s\n", h.Blocks, term.Plural(h.Stops, "stop"), r.lines(h.Path, h.Lines))
	}
}

// list shows every stop that was not simply allowed.
func (r replayText) list(w io.Writer, res *replay.Result) {
	fmt.Fprintf(w, "\n%s\n", r.style.Bold("Blocked and deferred stops"))
	none := true
	for _, s := range res.Sessions {
		for i := range s.Stops {
			stop := &s.Stops[i]
			if stop.Verdict == policy.VerdictAllow {
				continue
			}
			none = false
			fmt.Fprintf(w, "  %s  %s  %s  %s\n", r.lines(s.Path, []int{stop.Line}), stampOf(stop.Time), r.style.Verdict(stop.Verdict), term.Word(stop.Code))
			for _, line := range strings.Split(stop.Reason, "\n") {
				fmt.Fprintf(w, "      %s\n", term.OneLine(line, 200))
			}
		}
	}
	if none {
		fmt.Fprintln(w, "  none")
	}
}

// unread lists what could not be read, or is not what it seems.
func (r replayText) unread(w io.Writer, res *replay.Result) {
	first := true
	for _, s := range res.Sessions {
		for _, text := range append(errorOf(s), s.Notes...) {
			if first {
				fmt.Fprintf(w, "\n%s\n", r.style.Bold("About single sessions"))
				first = false
			}
			fmt.Fprintf(w, "  %s: %s\n", r.path(s.Path), term.OneLine(text, 300))
		}
	}
}

func errorOf(s replay.Session) []string {
	if s.Error == "" {
		return nil
	}
	return []string{s.Error}
}

func stampOf(t time.Time) string {
	if t.IsZero() {
		return "no time"
	}
	return t.UTC().Format("2006-01-02 15:04:05Z")
}
