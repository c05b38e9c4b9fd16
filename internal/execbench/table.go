//go:build unix

package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// table prints one line a figure, with its target.
type table struct {
	w *tabwriter.Writer
}

func newTable(out io.Writer) *table {
	t := &table{tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)}
	fmt.Fprintln(t.w, "\tfigure\tmeasured\ttarget\t")
	return t
}

func (t *table) section(name string) { fmt.Fprintf(t.w, "%s\t\t\t\t\n", name) }

// duration prints a time; without a target (0) it is there to compare with.
func (t *table) duration(name string, got, target time.Duration) {
	if target == 0 {
		fmt.Fprintf(t.w, "\t%s\t%s\t\t\n", name, round(got))
		return
	}
	fmt.Fprintf(t.w, "\t%s\t%s\t< %s\t%s\n", name, round(got), target, verdict(got < target))
}

// bytes prints an amount of memory.
func (t *table) bytes(name string, got, target int64) {
	fmt.Fprintf(t.w, "\t%s\t%.1f KiB\t< %.0f KiB\t%s\n", name, float64(got)/1024, float64(target)/1024, verdict(got < target))
}

func (t *table) note(text string) { fmt.Fprintf(t.w, "\t%s\t\t\t\n", text) }

func (t *table) flush() error { return t.w.Flush() }

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

// median sorts a copy of times and gives its middle; 0 for none.
func median(times []time.Duration) time.Duration {
	if len(times) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(times))
	low, high := sorted[(len(sorted)-1)/2], sorted[len(sorted)/2]
	return low + (high-low)/2
}
