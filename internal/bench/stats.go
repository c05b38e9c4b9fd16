package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// interleave runs the commands in turn, A B C C B A, and returns the wall times
// of the measured rounds, by command. A command that fails ends it all.
func interleave(commands []command, warmup, rounds int) ([][]time.Duration, error) {
	times := make([][]time.Duration, len(commands))
	for round := range warmup + rounds {
		for k := range commands {
			// Every second round goes backwards: what ran before leaves the caches
			// warm for one and cold for another.
			i := k
			if round%2 == 1 {
				i = len(commands) - 1 - k
			}
			c := commands[i]
			cmd := c.exec()
			start := time.Now()
			err := cmd.Run()
			took := time.Since(start)
			closeStdin(cmd)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
			if round >= warmup {
				times[i] = append(times[i], took)
			}
		}
	}
	return times, nil
}

// quantile gives the value below which the share q of the sorted times lies,
// between neighbours in proportion; 0 for no times.
func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	at := q * float64(len(sorted)-1)
	low := int(at)
	if low+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	part := at - float64(low)
	return sorted[low] + time.Duration(part*float64(sorted[low+1]-sorted[low]))
}

// median sorts a copy of times and gives its middle.
func median(times []time.Duration) time.Duration {
	return quantile(slices.Sorted(slices.Values(times)), 0.5)
}

// ratio is a divided by b; 0 when b is 0.
func ratio(a, b time.Duration) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// verdict says whether got is within bound.
func verdict(got, bound float64) string {
	if got <= bound {
		return "reached"
	}
	return "MISSED"
}

// printTimes prints medians, spread, and the hook's time as a multiple of each
// other command's. The hook is the first command.
func printTimes(out io.Writer, commands []command, times [][]time.Duration) error {
	tab := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tab, "command\tmedian\tp10\tp90\thook is\ttarget\t\t")
	own := median(times[0])
	for i, c := range commands {
		sorted := slices.Sorted(slices.Values(times[i]))
		fmt.Fprintf(tab, "%s\t%s\t%s\t%s\t", c.name, millis(median(sorted)), millis(quantile(sorted, 0.1)), millis(quantile(sorted, 0.9)))
		if c.bound == 0 {
			fmt.Fprint(tab, "\t\t\t\n")
			continue
		}
		r := ratio(own, median(sorted))
		fmt.Fprintf(tab, "%.3f ×\t≤ %.3f ×\t%s\t\n", r, c.bound, verdict(r, c.bound))
	}
	return tab.Flush()
}

func millis(d time.Duration) string {
	return fmt.Sprintf("%.2f ms", float64(d)/float64(time.Millisecond))
}

func mebibytes(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }
