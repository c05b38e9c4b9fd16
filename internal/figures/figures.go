// Package figures prints what was measured, one line a figure with its target beside
// it. Start with [New]. Nothing here fails because a target was missed: a benchmark is
// no test.
package figures

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// Table prints one line a figure, with its target. It is written by Flush.
type Table struct {
	w *tabwriter.Writer
}

// New begins a table.
func New(out io.Writer) *Table {
	t := &Table{tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)}
	fmt.Fprintln(t.w, "\tfigure\tmeasured\ttarget\t")
	return t
}

// Section begins a group of figures.
func (t *Table) Section(name string) { fmt.Fprintf(t.w, "%s\t\t\t\t\n", name) }

// Duration prints a time; without a target (0) it is there to compare with.
func (t *Table) Duration(name string, got, target time.Duration) {
	if target == 0 {
		fmt.Fprintf(t.w, "\t%s\t%s\t\t\n", name, round(got))
		return
	}
	fmt.Fprintf(t.w, "\t%s\t%s\t< %s\t%s\n", name, round(got), target, verdict(got < target))
}

// Bytes prints an amount of memory; without a target (0) it is there to compare with.
func (t *Table) Bytes(name string, got, target int64) {
	if target == 0 {
		fmt.Fprintf(t.w, "\t%s\t%.1f KiB\t\t\n", name, float64(got)/1024)
		return
	}
	fmt.Fprintf(t.w, "\t%s\t%.1f KiB\t< %.0f KiB\t%s\n", name, float64(got)/1024, float64(target)/1024, verdict(got < target))
}

// Note prints a line in the place of a figure.
func (t *Table) Note(text string) { fmt.Fprintf(t.w, "\t%s\t\t\t\n", text) }

// Flush writes the table.
func (t *Table) Flush() error { return t.w.Flush() }

func verdict(reached bool) string {
	if reached {
		return "reached"
	}
	return "MISSED"
}

// round keeps three digits.
func round(d time.Duration) time.Duration {
	switch {
	case d >= 100*time.Millisecond:
		return d.Round(time.Millisecond)
	case d >= time.Millisecond:
		return d.Round(10 * time.Microsecond)
	default:
		return d.Round(time.Microsecond)
	}
}

// Median sorts a copy of times and gives its middle; 0 for none.
func Median(times []time.Duration) time.Duration {
	if len(times) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(times))
	low, high := sorted[(len(sorted)-1)/2], sorted[len(sorted)/2]
	return low + (high-low)/2
}
