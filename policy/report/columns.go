package report

import (
	"fmt"
	"time"
)

// maxColumns bounds the picture of all stops over time.
const maxColumns = 60

// columnEnds are the words under the columns: when the first begins, what each
// stands for, and when the last ends; of days, which day it is.
type columnEnds struct{ From, Unit, To string }

// column is one stretch of time in the picture of all stops.
type column struct {
	X, W  float64
	Label string
	Parts []columnPart
}

type columnPart struct {
	Class string
	Y, H  float64
}

// columns counts stops by minutes, hours or days, whatever makes 60 columns or less.
func (v *replayView) columns() {
	if v.span.from.IsZero() {
		return
	}
	step := 5 * time.Minute
	for _, wider := range []time.Duration{15 * time.Minute, time.Hour, 3 * time.Hour, 12 * time.Hour, 24 * time.Hour} {
		if v.span.to.Sub(v.span.from) > maxColumns*step {
			step = wider
		}
	}
	for v.span.to.Sub(v.span.from) > maxColumns*step {
		step *= 2
	}
	_, offset := v.span.from.In(v.zone).Zone()
	shift := time.Duration(offset) * time.Second
	first := v.span.from.Add(shift).Truncate(step)
	n := int(v.span.to.Add(shift).Sub(first)/step) + 1
	if n < 3 {
		return // two columns are no picture
	}
	counts := make([]map[string]int, n)
	most := 1
	for i := range v.Result.Sessions {
		for _, s := range v.Result.Sessions[i].Stops {
			if s.Time.IsZero() {
				continue
			}
			k := int(s.Time.Add(shift).Sub(first) / step)
			if counts[k] == nil {
				counts[k] = map[string]int{}
			}
			counts[k][classOf(s.Verdict, s.Code)]++
			total := 0
			for _, c := range counts[k] {
				total += c
			}
			most = max(most, total)
		}
	}
	layout, last := "2 Jan 2006", first.Add(time.Duration(n)*step-24*time.Hour)
	if step < 24*time.Hour {
		layout, last = "2 Jan 2006, 15:04", first.Add(time.Duration(n)*step)
	}
	v.Ends = columnEnds{From: first.Format(layout), To: last.Format(layout),
		Unit: "each column is " + stretch(step) + ", the highest has " + plural(most, "stop")}
	const height = 72
	width := 1000 / float64(n)
	for k, c := range counts {
		label := first.Add(time.Duration(k) * step).Format(layout)
		col := column{X: tenth(float64(k) * width), W: tenth(max(width-2, 1))}
		y := float64(height)
		for _, class := range []string{classBlock, classFault, classDefer, classAllow} {
			if c[class] == 0 {
				continue
			}
			h := float64(c[class]) / float64(most) * height
			y -= h
			col.Parts = append(col.Parts, columnPart{Class: class, Y: tenth(y), H: tenth(max(h, 1))})
			label += fmt.Sprintf(", %d %s", c[class], className(class))
		}
		if col.Label = label; len(col.Parts) > 0 {
			v.Columns = append(v.Columns, col)
		}
	}
}

// stretch is the length of a column, of which there are few, in words.
func stretch(step time.Duration) string {
	switch {
	case step < time.Hour:
		return plural(int(step/time.Minute), "minute")
	case step < 24*time.Hour:
		return plural(int(step/time.Hour), "hour")
	}
	return plural(int(step/(24*time.Hour)), "day")
}

func className(class string) string {
	return map[string]string{classBlock: "blocked", classFault: "not decided", classDefer: "deferred", classAllow: "allowed"}[class]
}
