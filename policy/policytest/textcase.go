package policytest

import (
	"fmt"

	"github.com/stophook/stophook/internal/term"
)

// caseResult shows what was wanted and what came, and then why.
func (p *textPrinter) caseResult(t *Test) {
	r := t.Case
	p.printf("    %s:%d\n", term.Visible(t.File), t.Line)
	p.block("    ", r.Reason)
	if t.Passed() && !p.verbose {
		return
	}
	if !t.Passed() {
		p.printf("\n    %s\n", p.st.Bold("wanted (-) and got (+)"))
		p.checks(r.Checks)
	}
	p.printf("\n    %s  %s  %s\n", p.st.Bold("the decision"), p.st.Verdict(r.Verdict), term.Word(r.Code))
	p.block("      ", r.Text)
	if r.SystemMessage != "" {
		p.printf("    %s\n", p.st.Bold("the person sees"))
		p.block("      ", r.SystemMessage)
	}
	p.demands(r.Demands)
	p.turn(r.Turn)
	for _, warning := range r.Warnings {
		p.printf("    %s %s\n", p.st.Warn("warning:"), term.Visible(warning))
	}
}

// checks is the difference, as a patch would show it. Wishes that met the same
// answer share its line.
func (p *textPrinter) checks(list []Check) {
	for i, c := range list {
		key := fmt.Sprintf("%-8s", shortKey(c.Key))
		if c.OK {
			p.printf("        %s %s\n", key, term.OneLine(c.Want, 200))
			continue
		}
		p.printf("      %s\n", p.st.Bad("- "+key+" "+term.OneLine(c.Want, 200)))
		if i+1 < len(list) && !list[i+1].OK && shortKey(list[i+1].Key) == shortKey(c.Key) && list[i+1].Got == c.Got {
			continue
		}
		p.printf("      %s\n", p.st.Good("+ "+key+" "+term.OneLine(c.Got, 200)))
	}
}

func (p *textPrinter) demands(list []DemandSeen) {
	p.printf("    %s", p.st.Bold("demands"))
	if len(list) == 0 {
		p.printf(": none\n")
		return
	}
	p.printf("\n")
	for _, d := range list {
		state := d.Severity
		if d.Deferred {
			state += ", deferred"
		}
		p.printf("      %s  %s, of rule %s\n", term.Word(d.Code), state, term.Word(d.Rule))
		p.printf("        %s\n", term.OneLine(d.Text, 120))
		for _, row := range d.Rows {
			p.row("        ", "", row)
		}
	}
}

// row is one row of the transcript, where an editor finds it.
func (p *textPrinter) row(indent, what string, r RowSeen) {
	head := fmt.Sprintf("%s%s:%d  %s", what, TranscriptFile, r.Line, term.Word(r.Type))
	if r.Line == 0 {
		head = fmt.Sprintf("%s%s byte %d", what, TranscriptFile, r.Offset)
	}
	if !r.Time.IsZero() {
		head += " " + term.Clock(r.Time)
	}
	p.printf("%s%s  %s\n", indent, p.st.Dim(head), term.OneLine(r.Text, 96))
}

func (p *textPrinter) turn(t *TurnSeen) {
	if t == nil {
		return
	}
	p.printf("    %s at %s\n", p.st.Bold("what the rules saw"), t.Now.UTC().Format("2006-01-02T15:04:05Z"))
	if t.ToolCommand != "" {
		p.printf("      about to run: %s\n", term.OneLine(t.ToolCommand, 96))
	}
	for _, b := range t.Blind {
		p.printf("      %s %s\n", p.st.Warn("blind:"), term.Word(b))
	}
	if t.BadLines > 0 {
		p.printf("      %s %s of %s\n", p.st.Warn("unreadable:"), term.Plural(t.BadLines, "line"), TranscriptFile)
	}
	if t.Began != nil {
		p.row("      ", "the turn began: ", *t.Began)
	}
	p.printf("      %s", term.Plural(t.ToolCalls, "tool call"))
	if t.ToolCalls > len(t.Calls) {
		p.printf(", the latest %d", len(t.Calls))
	}
	p.printf("\n")
	for _, c := range t.Calls {
		p.seen("", c)
	}
	for _, task := range t.Tasks {
		p.seen("task ", task)
	}
	for _, h := range t.Handoffs {
		p.seen("handoff ", h)
	}
	p.printf("      evidence: %s\n", orNone(t.Evidence))
	if t.Blocks > 0 {
		p.printf("      blocked before: %d\n", t.Blocks)
	}
	if t.FinalText != "" {
		p.printf("      the last words: %s\n", term.OneLine(t.FinalText, 96))
	}
}

func (p *textPrinter) seen(kind string, s Seen) {
	state := ""
	if s.State != "" {
		state = " (" + term.Word(s.State) + ")"
	}
	p.printf("        %s  %s%s%s  %s\n", p.st.Dim(fmt.Sprintf("%s:%d", TranscriptFile, s.Line)), kind, term.Word(s.What), state, term.OneLine(s.Text, 80))
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return term.Words(list)
}
