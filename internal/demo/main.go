// Command demo plays the incident that stophook was made for, with the real
// binary, a real Git repository and a session transcript in the host's shape.
//
// An agent commits and pushes. While the push runs, a message arrives and the
// host moves the command to the background so that the message can be answered.
// A naive Stop hook then bounces the agent again and again, because the status
// check cannot pass before the push has landed. stophook lets the turn end once,
// and asks for the evidence when the notification has come.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	binary := flag.String("stophook", "bin/stophook", "the stophook binary to run")
	keep := flag.Bool("keep", false, "keep the folder with transcript, ledger and decision log")
	flag.Parse()
	if err := run(*binary, *keep); err != nil {
		fmt.Fprintf(os.Stderr, "demo: %v\n", err)
		os.Exit(1)
	}
}

func run(binary string, keep bool) error {
	binary, err := filepath.Abs(binary)
	if err != nil {
		return err
	}
	if _, err := os.Stat(binary); err != nil {
		return fmt.Errorf("there is no stophook binary at %s; run `make demo`, which builds it", binary)
	}
	dir, err := os.MkdirTemp("", "stophook-demo-")
	if err != nil {
		return err
	}
	if !keep {
		defer os.RemoveAll(dir)
	}
	s, err := newStage(binary, dir, os.Stdout)
	if err != nil {
		return err
	}
	if err := play(s); err != nil {
		return err
	}
	if keep {
		fmt.Printf("\nKept: %s\n", dir)
	}
	return nil
}
