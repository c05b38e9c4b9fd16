package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// stop calls the hook, compares its verdict with the story, and prints it.
func (s *stage) stop(final, verdict, code string) error {
	out, err := s.hook("Stop", &final, "")
	if err != nil {
		return err
	}
	d, err := s.decision()
	if err != nil {
		return err
	}
	if d.Result.Verdict != verdict || d.Result.Code != code {
		return fmt.Errorf("the story wants %s (%s), stophook says %s (%s): %s", verdict, code, d.Result.Verdict, d.Result.Code, d.Result.Reason)
	}
	if blocked := strings.Contains(out, `"decision":"block"`); blocked != (verdict == "block") {
		return fmt.Errorf("the wire does not carry the verdict %s: %q", verdict, out)
	}
	s.reason = d.Result.Reason
	s.event("Stop", s.paint(verdict, strings.ToUpper(verdict))+"  "+code)
	if d.Result.Reason != "" {
		s.quote(d.Result.Reason)
	}
	return nil
}

type logged struct {
	Result struct{ Verdict, Code, Reason string }
}

// decision reads the latest entry of the decision log.
func (s *stage) decision() (logged, error) {
	var d logged
	b, err := os.ReadFile(filepath.Join(s.dir, "state", "decisions.jsonl"))
	if err != nil {
		return d, err
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return d, json.Unmarshal([]byte(lines[len(lines)-1]), &d)
}

func contextOf(out string) string {
	var o struct {
		HookSpecificOutput struct{ AdditionalContext string }
	}
	if json.Unmarshal([]byte(out), &o) != nil {
		return out
	}
	return o.HookSpecificOutput.AdditionalContext
}

func (s *stage) title(text string) {
	fmt.Fprintf(s.out, "%s\n\n", s.code("1", text))
}

func (s *stage) say(text string) { fmt.Fprintln(s.out, text) }

// event prints one line of the story: minutes and seconds, who, what.
func (s *stage) event(who, what string) {
	at := s.clock.Sub(s.start)
	fmt.Fprintf(s.out, "%s  %-7s %s\n", s.code("2", fmt.Sprintf("%02d:%02d", int(at.Minutes()), int(at.Seconds())%60)), who, what)
}

func (s *stage) quote(text string) {
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		fmt.Fprintf(s.out, "               %s\n", s.code("2", line))
	}
}

func (s *stage) paint(verdict, text string) string {
	switch verdict {
	case "block":
		return s.code("1;31", text)
	case "defer":
		return s.code("1;34", text)
	}
	return s.code("1;32", text)
}

func (s *stage) code(code, text string) string {
	if !s.color {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
