//go:build unix

// Command execbench measures the execution contexts: how soon a launch is
// settled, how soon an exit is told, how long a list takes, and what a running
// task costs. A plain os/exec start and wait of the same command is measured in
// the same sitting, so that a slow machine shows as such.
//
// Start with [run]. It prints figures with the targets beside them and exits 0
// whatever they are: a benchmark is no test. It exits 1 when something could
// not be measured, and says what. [process.go] has the figures of the process
// context, [durable.go] those of the supervised one.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/stophook/stophook/execctx/supervised"
	"github.com/stophook/stophook/internal/figures"
)

// setup is what one sitting measures.
type setup struct {
	launches int    // starts, one after the other
	exits    int    // ends of which each is timed
	listed   int    // tasks in the list
	durable  int    // launches under a supervisor
	dir      string // working folder, removed afterwards
}

func main() {
	supervised.RunIfSupervisor()
	if len(os.Args) > 1 && os.Args[1] == waiterFlag {
		if err := waiter(os.Args[2:], os.Stdout); err != nil {
			fmt.Fprintf(os.Stderr, "execbench: waiter: %v\n", err)
			os.Exit(1)
		}
		return
	}
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "execbench: %v\n", err)
		os.Exit(1)
	}
}

// run is the command without its process.
func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("execbench", flag.ContinueOnError)
	s := setup{}
	flags.IntVar(&s.launches, "launches", 500, "launches to time")
	flags.IntVar(&s.exits, "exits", 200, "exits to time")
	flags.IntVar(&s.listed, "listed", 1000, "tasks in the list")
	flags.IntVar(&s.durable, "durable", 100, "launches under a supervisor to time")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if min(s.launches, s.exits, s.listed, s.durable) < 1 {
		return fmt.Errorf("every number must be at least 1")
	}
	dir, err := os.MkdirTemp("", "execbench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s.dir = dir

	ctx := context.Background()
	table := figures.New(out)
	fmt.Fprintf(out, "execution contexts, %d launches, %d exits, %d tasks listed; supervised: %d launches\n\n", s.launches, s.exits, s.listed, s.durable)
	table.Section("process")
	if err := measureProcess(ctx, s, table); err != nil {
		return fmt.Errorf("process context: %w", err)
	}
	table.Section("supervised")
	if err := measureSupervised(ctx, s, table); err != nil {
		return fmt.Errorf("supervised context: %w", err)
	}
	return table.Flush()
}
