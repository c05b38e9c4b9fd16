package report

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
)

func mapsKeys(m map[string]int) iter.Seq[string] { return maps.Keys(m) }

// order sorts the events as the file has them, names them by their line, and
// leaves out what the page has no room for. A stop's offset is where its last row
// ends, so the line comes first.
func (b *builder) order(limits []string) ([]Event, []string) {
	events := b.events
	if events == nil {
		events = []Event{}
	}
	slices.SortStableFunc(events, func(x, y Event) int {
		return cmp.Or(cmp.Compare(x.Line, y.Line), cmp.Compare(x.rank, y.rank), cmp.Compare(x.Offset, y.Offset))
	})
	turn := 0
	for i := range events {
		if events[i].Kind == KindTurn {
			turn = events[i].Turn
		}
		events[i].Turn = turn
	}
	if extra := len(events) - b.opts.MaxEvents; extra > 0 {
		var dropped map[string]int
		events, dropped = shed(events, extra)
		limits = append(limits, fmt.Sprintf("The page shows %d events at most. %s are left out, the oldest first; the counts above include them.",
			b.opts.MaxEvents, describeDropped(dropped)))
	}
	line, n := 0, 0
	for i := range events {
		if e := &events[i]; e.Line != line {
			line, n = e.Line, 1
			e.Ref = "L" + strconv.Itoa(line)
		} else {
			n++
			e.Ref = "L" + strconv.Itoa(line) + "-" + strconv.Itoa(n)
		}
	}
	return events, limits
}

// shed drops n events, those first that tell least.
func shed(events []Event, n int) ([]Event, map[string]int) {
	dropped := map[string]int{}
	for level := 0; level <= 4 && n > 0; level++ {
		events = slices.DeleteFunc(events, func(e Event) bool {
			if n == 0 || worth(e) != level {
				return false
			}
			n--
			dropped[e.Kind]++
			return true
		})
	}
	return events, dropped
}

func worth(e Event) int {
	switch {
	case e.Kind == KindReply:
		return 0
	case e.Kind == KindCall && e.State == "done":
		return 1
	case e.Kind == KindCall || e.Kind == KindSubagent || e.Kind == KindNotice:
		return 2
	case e.Kind == KindStop && e.State == "allow" || e.Kind == KindTurn || e.Kind == KindMark || e.Kind == KindTask:
		return 3
	}
	return 4
}

func describeDropped(dropped map[string]int) string {
	names := map[string]string{KindTurn: "prompt", KindCall: "tool call", KindReply: "reply", KindTask: "task", KindHandoff: "handoff",
		KindNotice: "notification", KindMark: "mark", KindSubagent: "subagent", KindStop: "stop"}
	out := ""
	for _, kind := range slices.Sorted(maps.Keys(dropped)) {
		if out != "" {
			out += ", "
		}
		out += plural(dropped[kind], names[kind])
	}
	return out
}

// plural is a count with its noun.
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if what == "reply" {
		what = "replie"
	}
	return count(n) + " " + what + "s"
}

// count writes a number with a narrow space between thousands.
func count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return s
}

// trimZero writes one digit behind the point, unless it is 0.
func trimZero(f float64) string {
	s := strconv.FormatFloat(f, 'f', 1, 64)
	if len(s) > 2 && s[len(s)-2:] == ".0" {
		return s[:len(s)-2]
	}
	return s
}
