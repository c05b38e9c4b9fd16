// Command demoagent plays a session of agentcore that the real stophook gates, with
// no key and no network: the model is a script, everything else is real. The agent
// fixes a typo, commits and pushes, and wants to end; the Stop hook sends it back;
// it does what the gate asks for and may go.
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
	flag.StringVar(&o.agentcore, "agentcore", "bin/agentcore", "the agentcore binary to run")
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

type options struct{ agentcore, stophook, dir string }

// demo sets the stage, plays, and holds the story against what is wanted.
func demo(ctx context.Context, o options, out io.Writer) error {
	s, err := newStage(o, out)
	if err != nil {
		return err
	}
	if err := s.install(ctx); err != nil {
		return err
	}
	s.title("An agent of agentcore, gated by stophook")
	result, err := s.play(ctx)
	if err != nil {
		return err
	}
	return s.close(ctx, result)
}

// newStage finds the programs and makes the folder anew.
func newStage(o options, out io.Writer) (*stage, error) {
	s := &stage{out: out}
	for _, p := range []struct {
		at   string
		into *string
	}{{o.agentcore, &s.agentcore}, {o.stophook, &s.stophook}, {o.dir, &s.dir}} {
		abs, err := filepath.Abs(p.at)
		if err != nil {
			return nil, err
		}
		*p.into = abs
	}
	for _, binary := range []string{s.agentcore, s.stophook} {
		if _, err := os.Stat(binary); err != nil {
			return nil, fmt.Errorf("there is no program at %s; run `make demo-agent`, which builds it", binary)
		}
	}
	if err := s.clear(); err != nil {
		return nil, err
	}
	return s, s.repository()
}
