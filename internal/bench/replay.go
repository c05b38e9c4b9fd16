package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/stophook/stophook/internal/benchgen"
)

// targetReplay is how fast recorded sessions are judged on two processors, in
// bytes a second, at least: sessions with a stop every 300 KiB or more, as real
// ones have, since a turn brings a copy of the request of that size.
const (
	targetReplay = 400e6
	usualStops   = 300 << 10
)

// replayCorpus is what the replay is measured on: sessions of a usual size, with
// a stop every so often.
type replayCorpus struct {
	files     int
	size      int64 // of each, bytes
	stopEvery int64 // bytes from stop to stop, on average
}

// reportReplay measures `stophook replay` over warm transcripts, as a whole
// process. The corpora differ in how often the agent stops, because that, and not
// the bytes, is what a replay has to work for.
func reportReplay(out io.Writer, s setup, rounds int) error {
	fmt.Fprintf(out, "\nreplay, whole process, warm cache, %d processors, median of %d\n", runtime.NumCPU(), rounds)
	for _, c := range []replayCorpus{
		{files: 8, size: 32 << 20, stopEvery: 1 << 20},
		{files: 8, size: 32 << 20, stopEvery: usualStops},
		{files: 8, size: 32 << 20, stopEvery: 50 << 10},
	} {
		if err := measureReplay(out, s, c, rounds); err != nil {
			return err
		}
	}
	return nil
}

func measureReplay(out io.Writer, s setup, c replayCorpus, rounds int) error {
	dir, err := os.MkdirTemp(s.dir, "replay-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var bytesAll int64
	stops := 0
	for i := range c.files {
		info, err := benchgen.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.jsonl", i)), benchgen.Options{Size: c.size,
			HandoffFromEnd: c.size / 4, Now: time.Date(2026, 10, 5, 9, 0, 0, 0, time.UTC), Seed: uint64(i), StopEvery: c.stopEvery})
		if err != nil {
			return err
		}
		bytesAll += info.Size
		stops += info.Stops
	}
	var times []time.Duration
	for round := range rounds + 1 { // the first warms the cache
		took, err := replayOnce(s, dir, stops)
		if err != nil {
			return err
		}
		if round > 0 {
			times = append(times, took)
		}
	}
	slices.Sort(times)
	speed := float64(bytesAll) / median(times).Seconds()
	fmt.Fprintf(out, "  a stop each %4d KiB: %s, %4d stops in %s = %4.0f MB/s, %4.0f stops/s", c.stopEvery>>10,
		mebibytes(bytesAll), stops, millis(median(times)), speed/1e6, float64(stops)/median(times).Seconds())
	switch {
	case c.stopEvery < usualStops:
	case speed < targetReplay:
		fmt.Fprintf(out, "   target ≥ %.0f MB/s   MISSED", targetReplay/1e6)
	default:
		fmt.Fprintf(out, "   target ≥ %.0f MB/s   reached", targetReplay/1e6)
	}
	fmt.Fprintln(out)
	return nil
}

// replayOnce runs the replay and looks whether it found what is there: a fast
// program that skips stops measures nothing.
func replayOnce(s setup, dir string, stops int) (time.Duration, error) {
	cmd := exec.Command(s.stophook, "replay", "--json", "--state-dir", filepath.Join(s.dir, "none"), dir)
	cmd.Env = append(os.Environ(), "HOME="+s.dir)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start)
	if err != nil {
		return 0, fmt.Errorf("stophook replay: %w\n%s", err, &stderr)
	}
	var doc struct {
		Totals struct{ Stops int }
	}
	if err := json.Unmarshal(stdout.Bytes(), &doc); err != nil {
		return 0, fmt.Errorf("stophook replay: %w", err)
	}
	if doc.Totals.Stops != stops {
		return 0, fmt.Errorf("stophook replay judged %d stops, and there are %d", doc.Totals.Stops, stops)
	}
	return took, nil
}
