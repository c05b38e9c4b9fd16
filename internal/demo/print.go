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

// without explains the same stop with the deferral rule switched off: what a hook
// would do that does not know of handoffs.
func (s *stage) without(final, verdict, code string) error {
	conf := filepath.Join(s.dir, "naive.yaml")
	if err := os.WriteFile(conf, []byte("rules: {background_handoff: {severity: off}}\n"), 0o600); err != nil {
		return err
	}
	out, status, err := s.run(s.payload("Stop", &final, ""), "explain", "--json", "--config", conf)
	if err != nil || status != 0 {
		return fmt.Errorf("stophook explain: exit %d: %w", status, err)
	}
	var d struct {
		Decision struct{ Verdict, Code string }
	}
	if err := json.Unmarshal([]byte(out), &d); err != nil {
		return err
	}
	if d.Decision.Verdict != verdict || d.Decision.Code != code {
		return fmt.Errorf("without the deferral the story wants %s (%s), stophook says %s (%s)", verdict, code, d.Decision.Verdict, d.Decision.Code)
	}
	s.quote("The same stop without that rule: " + strings.ToUpper(verdict) + "  " + code)
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
		for _, part := range wrap(line, 84) {
			fmt.Fprintf(s.out, "               %s\n", s.code("2", part))
		}
	}
}

// wrap breaks a line at spaces; what follows a list mark stays under its text.
func wrap(line string, width int) []string {
	var parts []string
	indent := ""
	if strings.HasPrefix(line, "- ") {
		indent = "  "
	}
	for len(line) > width && !strings.ContainsAny(line, "│─") {
		at := strings.LastIndex(line[:width], " ")
		if at <= len(indent) {
			break
		}
		parts = append(parts, line[:at])
		line = indent + line[at+1:]
	}
	return append(parts, line)
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
