package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/stophook/stophook/internal/ci"
	"github.com/stophook/stophook/internal/term"
	"github.com/stophook/stophook/policy/replay"
)

// kindWords is a kind of change for people.
func kindWords(k replay.Kind) string { return strings.ReplaceAll(string(k), "_", " ") }

// summary counts the changes by kind, the gravest first.
func (d *comparison) summary() string {
	var parts []string
	for _, k := range replay.Kinds() {
		if n := d.Counts.Kinds[k]; n > 0 {
			parts = append(parts, term.Plural(n, kindWords(k)))
		}
	}
	if len(parts) == 0 {
		return "no stop differs"
	}
	return strings.Join(parts, ", ")
}

// print shows every change with both answers.
func (d *comparison) print(w io.Writer, r replayText) error {
	fmt.Fprintf(w, "base  %s\nhead  %s\n", term.OneLine(d.base, 200), term.OneLine(d.head, 200))
	fmt.Fprintf(w, "%s in %s: %s\n", term.Plural(d.Counts.Stops, "stop"), term.Plural(d.Base.Sessions, "session"), r.style.Bold(d.summary()))
	for i := range d.Changes {
		c := &d.Changes[i]
		fmt.Fprintf(w, "\n%s  %s  %s\n", r.lines(c.Path, []int{c.Line}), stampOf(c.Time), d.mark(r.style, c.Kind))
		r.answer(w, "base", &c.Base)
		r.answer(w, "head", &c.Head)
	}
	for _, s := range d.Errors {
		fmt.Fprintf(w, "\n%s %s: %s\n", r.style.Warn("not read:"), r.path(s.Path), term.OneLine(s.Error, 300))
	}
	return nil
}

// mark names a kind, in the colour of what it does to the agent.
func (d *comparison) mark(st term.Style, k replay.Kind) string {
	words := strings.ToUpper(kindWords(k))
	switch k {
	case replay.NewBlock:
		return st.Bad(words)
	case replay.LiftedBlock:
		return st.Good(words)
	}
	return st.Bold(words)
}

// answer is one side of a change: verdict, code, and the reason in full, because
// it is what the agent would have been told.
func (r replayText) answer(w io.Writer, side string, s *replay.Stop) {
	fmt.Fprintf(w, "  %s  %s  %s\n", r.style.Dim(side), r.style.Verdict(s.Verdict), term.Word(s.Code))
	for _, line := range reasonLines(s) {
		fmt.Fprintf(w, "        %s\n", term.OneLine(line, 200))
	}
}

// reasonLines is what the agent or, without that, the person would have been told.
func reasonLines(s *replay.Stop) []string {
	text := s.Reason
	if text == "" {
		text = s.SystemMessage
	}
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimRight(text, "\n"), "\n")
}

// detail is one change in words, for the reports of CI systems.
func detail(c *replay.Change) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s at %s\n", kindWords(c.Kind), stampOf(c.Time))
	r := replayText{}
	r.answer(&b, "base", &c.Base)
	r.answer(&b, "head", &c.Head)
	return term.Visible(b.String())
}

// title is a change in one line.
func title(c *replay.Change) string {
	return fmt.Sprintf("%s: %s (%s), was %s (%s)", kindWords(c.Kind), c.Head.Verdict, term.Word(c.Head.Code), c.Base.Verdict, term.Word(c.Base.Code))
}

// junit has one suite a session and one case a change; those that --fail-on is
// about are failures, and a session that could not be read is an error.
func (d *comparison) junit(w io.Writer) error {
	var suites []ci.Suite
	suite := func(path string) *ci.Suite {
		if n := len(suites); n > 0 && suites[n-1].Name == path {
			return &suites[n-1]
		}
		suites = append(suites, ci.Suite{Name: path})
		return &suites[len(suites)-1]
	}
	for i := range d.Changes {
		c := &d.Changes[i]
		one := ci.Case{Class: string(c.Kind), Name: fmt.Sprintf("stop at line %d", c.Line), File: c.Path, Line: c.Line}
		if slices.Contains(d.fatal, c.Kind) {
			one.Failure = &ci.Problem{Message: title(c), Kind: string(c.Kind), Detail: detail(c)}
		} else {
			one.Output = title(c) + "\n" + detail(c)
		}
		s := suite(c.Path)
		s.Cases = append(s.Cases, one)
	}
	run := ci.Run{Name: "stophook diff"}
	for _, e := range d.Errors {
		run.Problems = append(run.Problems, ci.Case{Class: "unreadable", Name: "read " + e.Path, File: e.Path, Error: &ci.Problem{Kind: "unreadable", Message: e.Error}})
	}
	if len(suites)+len(run.Problems) == 0 { // a report without a test counts as a broken one
		suites = []ci.Suite{{Name: "all sessions", Cases: []ci.Case{{Class: "diff", Name: fmt.Sprintf("%s judged alike", term.Plural(d.Counts.Stops, "stop"))}}}}
	}
	run.Suites = suites
	return ci.WriteJUnit(w, run)
}

// sarif has one finding a change, at the line of the transcript.
func (d *comparison) sarif(w io.Writer) error {
	rules := map[string]string{
		string(replay.NewBlock):      "The new policy sends the agent back where the old one let it end.",
		string(replay.LiftedBlock):   "The new policy lets the agent end where the old one sent it back.",
		string(replay.NewDefer):      "The new policy puts a demand off that the old one did not make.",
		string(replay.LiftedDefer):   "The old policy put a demand off, the new one makes none.",
		string(replay.ChangedCode):   "The verdict is the same under another code.",
		string(replay.ChangedReason): "The agent is told something else.",
		"unreadable":                 "A transcript could not be read.",
	}
	var findings []ci.Finding
	for i := range d.Changes {
		c := &d.Changes[i]
		level := "note"
		if slices.Contains(d.fatal, c.Kind) {
			level = "error"
		} else if c.Kind == replay.NewBlock {
			level = "warning"
		}
		findings = append(findings, ci.Finding{Rule: string(c.Kind), Level: level, Message: title(c) + "\n" + detail(c), File: c.Path, Line: c.Line})
	}
	for _, e := range d.Errors {
		findings = append(findings, ci.Finding{Rule: "unreadable", Level: "error", Message: e.Error, File: e.Path})
	}
	return ci.WriteSARIF(w, ci.Tool{Name: "stophook diff", Version: version, Rules: rules}, findings)
}
