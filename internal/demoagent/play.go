package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/stophook/stophook/agentcore"
	"github.com/stophook/stophook/internal/term"
)

// task is what the person asks for.
const task = "fix the typo in README.md, commit and push"

// played is what the session showed.
type played struct {
	transcript string
	blocks     int
	result     *agentcore.Result
}

// play runs the agent and tells its events as they come.
func (s *stage) play(ctx context.Context) (*played, error) {
	cmd := s.command(ctx, s.agentcore, "run", "-p", task, "--scripted", "../script.yaml", "--settings", s.settings(),
		"--permissions", "all", "--output", "stream-json")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	s.event("person", task)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &played{}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e agentcore.Event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, errors.Join(fmt.Errorf("agentcore printed what is no event: %q: %w", lines.Text(), err), cmd.Wait())
		}
		s.tell(p, e)
	}
	if err := errors.Join(lines.Err(), cmd.Wait()); err != nil {
		return nil, fmt.Errorf("agentcore run: %w\n%s", err, &stderr)
	}
	return p, nil
}

// tell prints one event of the session.
func (s *stage) tell(p *played, e agentcore.Event) {
	switch e.Kind {
	case agentcore.EventRunStart:
		p.transcript = e.Path
	case agentcore.EventMessage:
		if text := e.Message.FinalText(); text != "" {
			s.event("agent", term.FirstLine(text))
			if _, rest, more := strings.Cut(strings.TrimSpace(text), "\n"); more {
				s.quote(strings.Trim(rest, "\n"))
			}
		}
	case agentcore.EventToolStart:
		s.event("", s.code("36", e.Tool)+" "+term.OneLine(inputOf(e), 80))
	case agentcore.EventToolResult:
		if e.IsError {
			s.quote(e.Text)
		}
	case agentcore.EventBlocked:
		p.blocks++
		s.event("Stop", s.code("1;31", "BLOCK"))
		s.quote(e.Text)
	case agentcore.EventWarning, agentcore.EventNotice:
		s.event("hook", e.Text)
	case agentcore.EventResult:
		p.result = e.Result
		if e.Result.End == agentcore.EndCompleted {
			s.event("Stop", s.code("1;32", "ALLOW"))
		}
	}
}

// inputOf is what a person wants to see of a call: the command, the path, the pattern.
func inputOf(e agentcore.Event) string {
	var in struct{ Command, Path, Pattern string }
	if json.Unmarshal(e.Input, &in) != nil {
		return string(e.Input)
	}
	return strings.Join(strings.Fields(in.Command+" "+in.Pattern+" "+in.Path), " ")
}

// close holds the session against the story, shows what stophook reads in its
// transcript, and says where that is.
func (s *stage) close(ctx context.Context, p *played) error {
	switch {
	case p.result == nil:
		return errors.New("the session gave no result")
	case p.result.End != agentcore.EndCompleted:
		return fmt.Errorf("the session ended as %s: %s", p.result.End, p.result.Reason)
	case p.blocks != 1:
		return fmt.Errorf("the gate sent the agent back %d times; the story wants it once", p.blocks)
	}
	scan, err := s.command(ctx, s.stophook, "scan", p.transcript).CombinedOutput()
	if err != nil {
		return fmt.Errorf("stophook scan: %w\n%s", err, scan)
	}
	fmt.Fprintf(s.out, "\n%s in %s, %s. What stophook reads in the transcript:\n\n", term.Plural(p.result.Turns, "turn"),
		p.result.Elapsed.Round(time.Millisecond), term.Plural(p.result.Calls, "call"))
	s.out.Write(scan)
	cwd, err := os.Getwd()
	if err == nil {
		p.transcript = strings.TrimPrefix(p.transcript, cwd+string(os.PathSeparator))
	}
	fmt.Fprintf(s.out, "\nThe session as a page: %s\n", s.code("1", "bin/stophook report "+p.transcript+" -o session.html"))
	return nil
}
