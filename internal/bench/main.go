// Command bench measures the whole hook process against what bounds it: reading
// the same bytes with tail, and a plain Node.js hook that only parses them. All
// are run in one sitting, interleaved, so that a slow moment of the machine
// hits all alike and the ratios stand where the milliseconds do not.
//
// Start with [run]. It prints figures and the targets beside them and exits 0
// whatever they are: a benchmark is no test. It exits 1 when something could
// not be measured, and says what.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/stophook/stophook/internal/benchgen"
)

// The figures to reach.
const (
	targetTail   = 2.0       // times the wall time of tail, at most
	targetNode   = 1.0 / 6.0 // of the wall time of the Node.js hook, at most
	targetMemory = 24 << 20  // bytes, at most, at every size of file
)

// windowBytes is what all three read: the hook's default window.
const windowBytes = 8 << 20

// setup is what one sitting measures.
type setup struct {
	stophook string // the binary, absolute
	rounds   int    // measured, each of every command
	warmup   int    // not measured
	size     int64  // of the transcript, bytes
	huge     int64  // of the sparse transcript, bytes
	handoff  int64  // distance of the handoff from the end, bytes
	dir      string // working folder, removed afterwards
}

func main() {
	if len(os.Args) > 2 && os.Args[1] == peakFlag {
		os.Exit(printPeak(os.Args[2:]))
	}
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		os.Exit(1)
	}
}

// run is the command without its process.
func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	binary := flags.String("stophook", "bin/stophook", "the `binary` to measure (make build)")
	rounds := flags.Int("rounds", 41, "measured rounds of each command")
	mib := flags.Int64("mib", 40, "size of the transcript in MiB")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *rounds < 1 || *mib < 8 {
		return fmt.Errorf("-rounds must be at least 1 and -mib at least 8, got %d and %d", *rounds, *mib)
	}
	path, err := filepath.Abs(*binary)
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("%w: build it with `make build`", err)
	}
	dir, err := os.MkdirTemp("", "stophook-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	return measure(setup{
		stophook: path, rounds: *rounds, warmup: 5, size: *mib << 20, huge: 2 << 30, handoff: 6 << 20, dir: dir,
	}, out)
}

// measure makes the transcripts, runs everything and prints the table.
func measure(s setup, out io.Writer) error {
	file := filepath.Join(s.dir, benchgen.SessionID+".jsonl")
	now := time.Date(2026, 10, 5, 9, 0, 0, 0, time.UTC)
	info, err := benchgen.WriteFile(file, benchgen.Options{Size: s.size, HandoffFromEnd: s.handoff, Now: now, Seed: 1})
	if err != nil {
		return err
	}
	sparse := filepath.Join(s.dir, "sparse", benchgen.SessionID+".jsonl")
	if err := os.Mkdir(filepath.Dir(sparse), 0o700); err != nil {
		return err
	}
	if err := benchgen.WriteSparse(sparse, file, s.huge); err != nil {
		return err
	}
	hook, err := newHook(s, file, now)
	if err != nil {
		return err
	}
	code, err := hook.checkAnswer()
	if err != nil {
		return err
	}
	commands, skipped, err := s.commands(hook, file)
	if err != nil {
		return err
	}
	times, err := interleave(commands, s.warmup, s.rounds)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "transcript of %s (%d rows), handoff %s from the end; verdict %s\n",
		mebibytes(info.Size), info.Rows, mebibytes(info.Size-info.HandoffOffset), code)
	fmt.Fprintf(out, "whole process, warm cache, %d rounds each, interleaved\n\n", s.rounds)
	if err := printTimes(out, commands, times); err != nil {
		return err
	}
	for _, name := range skipped {
		fmt.Fprintf(out, "skipped %s: not on PATH\n", name)
	}
	hookSparse, err := newHook(s, sparse, now)
	if err != nil {
		return err
	}
	fmt.Fprintln(out)
	for _, m := range []struct {
		name string
		cmd  command
	}{{mebibytes(info.Size), hook.command}, {mebibytes(s.huge), hookSparse.command}} {
		if err := reportPeak(out, m.name, m.cmd); err != nil {
			return err
		}
	}
	return reportReplay(out, s, min(s.rounds, 5))
}
