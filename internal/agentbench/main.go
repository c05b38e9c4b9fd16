// Command agentbench measures the agent runtime with a model that costs nothing and
// real session files: what the loop costs beside the model and the tools, what resuming
// a long session costs, and how many agents one process carries.
//
// Start with [run]. It prints figures with the targets beside them and exits 0
// whatever they are: a benchmark is no test. It exits 1 when something could not be
// measured, and says what. A plain write of as many bytes to a file is measured in the
// same sitting, so that a slow machine shows as such.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/stophook/stophook/internal/figures"
)

// What is aimed at.
const (
	targetTurn      = 200 * time.Microsecond
	targetTurnBytes = 20 << 10
	targetResume    = 300 * time.Millisecond
)

// setup is what one sitting measures.
type setup struct {
	turns  int // of the measured runs
	long   int // turns of the session that is resumed
	agents int // beside each other
	rounds int // of each measurement; the median counts
	dir    string
}

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "agentbench: %v\n", err)
		os.Exit(1)
	}
}

// run is the command without its process.
func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("agentbench", flag.ContinueOnError)
	s := setup{}
	flags.IntVar(&s.turns, "turns", 500, "turns of a measured run")
	flags.IntVar(&s.long, "long", 5000, "turns of the session that is resumed")
	flags.IntVar(&s.agents, "agents", 200, "agents beside each other")
	flags.IntVar(&s.rounds, "rounds", 5, "rounds of each measurement")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if min(s.turns, s.long, s.agents, s.rounds) < 1 {
		return fmt.Errorf("every number must be at least 1")
	}
	dir, err := os.MkdirTemp("", "agentbench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s.dir = dir

	fmt.Fprintf(out, "agent runtime, %d turns a run, %d turns resumed, %d agents, median of %d rounds\n\n", s.turns, s.long, s.agents, s.rounds)
	table := figures.New(out)
	for _, part := range []struct {
		name    string
		measure func(setup, *figures.Table) error
	}{{"loop", measureTurns}, {"resume", measureResume}, {"many agents", measureAgents}} {
		table.Section(part.name)
		if err := part.measure(s, table); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return table.Flush()
}
