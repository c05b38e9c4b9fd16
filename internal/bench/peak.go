package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// peakFlag makes the program run one command and print its peak memory. The
// kernel carries the peak of the process that starts another over into the new
// one's figure, so a fresh, small process must do the starting.
const peakFlag = "-peak-of"

// peakRuns is how often the peak is taken; the highest counts.
const peakRuns = 7

// printPeak is the program under peakFlag: args[0] is run with the rest, stdin
// is handed on, and the peak in bytes goes to stdout.
func printPeak(args []string) int {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin = os.Stdin
	if err := cmd.Run(); err != nil {
		fmt.Fprintf(os.Stderr, "bench: %s: %v\n", args[0], err)
		return 1
	}
	peak, ok := maxRSS(cmd.ProcessState)
	if !ok {
		fmt.Fprintln(os.Stderr, "bench: this system does not tell the peak memory of a process")
		return 1
	}
	fmt.Println(peak)
	return 0
}

// peakOf measures the peak memory of c in bytes.
func peakOf(c command) (int64, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	var highest int64
	for range peakRuns {
		probe := c
		probe.args = append([]string{self, peakFlag}, c.args...)
		cmd := probe.exec()
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			return 0, fmt.Errorf("peak of %s: %w: %s", c.name, err, &stderr)
		}
		peak, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
		if err != nil {
			return 0, fmt.Errorf("peak of %s: %w", c.name, err)
		}
		highest = max(highest, peak)
	}
	return highest, nil
}

// reportPeak prints one line with the hook's peak memory on a file of that size.
func reportPeak(out io.Writer, size string, c command) error {
	peak, err := peakOf(c)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "peak memory at %11s of transcript: %9s   target ≤ %s   %s\n",
		size, mebibytes(peak), mebibytes(targetMemory), verdict(float64(peak), targetMemory))
	return err
}
