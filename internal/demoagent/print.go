package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/stophook/stophook/agentcore"
	"github.com/stophook/stophook/agentcore/task"
	"github.com/stophook/stophook/internal/term"
)

// indent is where what is said begins.
const indent = "         "

func (s *stage) title(text string) { fmt.Fprintf(s.out, "%s\n\n", s.code("1", text)) }

// event prints one line of the story: who, what.
func (s *stage) event(who, what string) { fmt.Fprintf(s.out, "%-8s %s\n", who, what) }

func (s *stage) quote(text string) {
	if text == "" {
		return
	}
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		if !strings.ContainsAny(line, "│─") { // a box stays as it is
			line = term.Wrap(line, 96, indent)
		}
		fmt.Fprintf(s.out, "%s%s\n", indent, s.code("2", line))
	}
}

// code colours text for a terminal.
func (s *stage) code(sgr, text string) string { return term.For(s.out, os.Getenv).Paint(sgr, text) }

// inputOf is what a person wants to see of a call: the command, the path, the pattern.
func inputOf(e agentcore.Event) string {
	var in struct{ Command, Path, Pattern string }
	if json.Unmarshal(e.Input, &in) != nil {
		return string(e.Input)
	}
	return strings.Join(strings.Fields(in.Command+" "+in.Pattern+" "+in.Path), " ")
}

// short is text with paths of the session cut to what tells them apart.
func (h *host) short(text string) string {
	return strings.ReplaceAll(text, h.session.TasksDir()+string(filepath.Separator), "…/")
}

func ended(e *task.Event) string {
	switch {
	case e.ExitCode != nil:
		return fmt.Sprintf("exit code %d", *e.ExitCode)
	case e.Signal != "":
		return e.Signal
	}
	return "its end was not seen"
}

// close shows what stophook reads in the transcript, and says where that is.
func (s *stage) close(ctx context.Context, p *played) error {
	scan, err := s.command(ctx, s.stophook, "scan", p.transcript).CombinedOutput()
	if err != nil {
		return fmt.Errorf("stophook scan: %w\n%s", err, scan)
	}
	fmt.Fprintf(s.out, "\n%s in %s of the agent, %s, %s. What stophook reads in the transcript:\n\n", term.Plural(p.stats.Turns, "turn"),
		term.Plural(p.stats.Runs, "run"), term.Plural(p.stats.Calls, "call"), p.elapsed.Round(time.Millisecond))
	s.out.Write(scan)
	path := p.transcript
	if cwd, err := os.Getwd(); err == nil {
		path = strings.TrimPrefix(path, cwd+string(os.PathSeparator))
	}
	fmt.Fprintf(s.out, "\nThe session as a page: %s\n", s.code("1", "bin/stophook report "+path+" -o session.html"))
	return nil
}
