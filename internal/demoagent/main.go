// Command demoagent plays a session of agentcore that the real stophook gates, with
// no key and no network: the model is a script, everything else is real. It is also
// an example of a host, a program that agentcore is embedded in.
//
// The agent commits and pushes, and the push takes its time. A person asks something,
// and the host moves the command to the background so that the agent can answer. The
// Stop hook lets that turn end. When the push is through the host wakes the agent, and
// now the hook sends it back until it has shown that its work is pushed.
//
// The transcript is left in the folder that it names, for `stophook report`.
package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
)

//go:embed script.yaml
var script []byte

func main() {
	var o options
	flag.StringVar(&o.stophook, "stophook", "bin/stophook", "the stophook binary to run")
	flag.StringVar(&o.dir, "dir", "bin/demo-agent", "the folder of the demonstration; an earlier one in it is removed")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := demo(ctx, o, os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "demo-agent: %v\n", err)
		os.Exit(1)
	}
}

type options struct {
	stophook, dir string
	noHandoff     bool // the host does not move commands, for tests
}

// demo sets the stage, plays, and shows what is left of it.
func demo(ctx context.Context, o options, out io.Writer) error {
	s, err := newStage(o, out)
	if err != nil {
		return err
	}
	if err := s.install(ctx); err != nil {
		return err
	}
	s.title("An agent of agentcore, gated by stophook")
	p, err := play(ctx, s)
	if err != nil {
		return err
	}
	return s.close(ctx, p)
}

// newStage finds the program and makes the folder anew.
func newStage(o options, out io.Writer) (*stage, error) {
	s := &stage{out: out, handoff: !o.noHandoff}
	var err error
	if s.stophook, err = filepath.Abs(o.stophook); err != nil {
		return nil, err
	}
	if s.dir, err = filepath.Abs(o.dir); err != nil {
		return nil, err
	}
	if _, err := os.Stat(s.stophook); err != nil {
		return nil, fmt.Errorf("there is no program at %s; run `make demo-agent`, which builds it", s.stophook)
	}
	if err := s.clear(); err != nil {
		return nil, err
	}
	return s, s.repository()
}
