package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/stophook/stophook/internal/command"
	"github.com/stophook/stophook/internal/term"
	"github.com/stophook/stophook/policy"
	"github.com/stophook/stophook/policy/decisionlog"
	"github.com/stophook/stophook/policy/hookio"
	"github.com/stophook/stophook/transcript"
)

func (p *program) explainCommand() *cli.Command {
	return &cli.Command{
		Name: "explain", Usage: "the same decision as hook, with what led to it",
		UsageText: `stophook explain [flags] < payload

  stophook explain --policy ./rules < stdin.json`,
		Description: `Decides the event on stdin as hook would and shows why: for every handoff and
demand the transcript rows that led to it, the rules that fired and those that
did not. Nothing is counted, written or logged.`,
		Flags: append(gateFlags(),
			command.Switch("json", "print one JSON object"),
			command.Switch("input", "also print the input document that the policies saw")),
		Action: p.explain,
	}
}

func (p *program) explain(c *cli.Context) error {
	if err := p.setClock(c); err != nil {
		return err
	}
	ev, err := p.event(c)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), hookDeadline)
	defer cancel()
	g := p.gate(c, ev)
	g.Validate = true
	x := &explanation{Outcome: g.Evaluate(ctx, ev), style: p.style()}
	x.collect()
	if c.Bool("json") {
		return p.printJSON(x.document(c.Bool("input")))
	}
	if err := x.print(p.stdout); err != nil {
		return err
	}
	if c.Bool("input") {
		fmt.Fprintln(p.stdout)
		return p.printJSON(x.Input)
	}
	return nil
}

// explanation is an outcome with the rows that it rests on.
type explanation struct {
	*policy.Outcome
	style term.Style
	rows  map[int64]transcript.Excerpt
}

// collect reads every row that some part of the decision points at.
func (x *explanation) collect() {
	s := x.Facts.Session
	var offsets []int64
	add := func(p transcript.Position) { offsets = append(offsets, p.Offset) }
	for _, h := range s.Handoffs {
		add(h.OpenedAt)
		if h.ClosedBy != nil {
			add(h.ClosedBy.At)
		}
		if h.EndedBy != nil {
			add(h.EndedBy.At)
		}
	}
	for _, t := range s.Tasks {
		if slices.Contains(s.Debt.Paired, t.ID) {
			add(t.OpenedAt)
		}
	}
	if s.Turn.StartedAt.UUID != "" {
		add(s.Turn.StartedAt)
	}
	if n := len(s.Turn.Tools); n > 0 {
		add(s.Turn.Tools[n-1].At)
	}
	for _, b := range s.Turn.Boxes {
		if b.Offset >= 0 {
			offsets = append(offsets, b.Offset)
		}
	}
	for _, d := range x.Decision.Demands {
		offsets = append(offsets, d.Evidence...)
	}
	slices.Sort(offsets)
	offsets = slices.Compact(offsets)
	x.rows = map[int64]transcript.Excerpt{}
	excerpts, err := transcript.Excerpts(s.Path, offsets)
	if err != nil {
		return // a blind session points at no rows; print says that it is blind
	}
	for _, e := range excerpts {
		e.Text = decisionlog.Redact(e.Text)
		x.rows[e.Offset] = e
	}
}

func (x *explanation) document(input bool) map[string]any {
	rows := make([]transcript.Excerpt, 0, len(x.rows))
	for _, e := range x.rows {
		rows = append(rows, e)
	}
	slices.SortFunc(rows, func(a, b transcript.Excerpt) int { return int(min(1, max(-1, a.Offset-b.Offset))) })
	doc := map[string]any{"schema": "stophook.explain/v1", "decision": x.Decision, "rules": x.ruleDocuments(), "rows": rows,
		"facts": x.Facts.Session.Facts(), "evidence": x.Input["evidence"], "remediation": x.Input["remediation"]}
	if x.Failure != nil {
		doc["failure"] = map[string]any{"kind": x.Failure.Kind, "message": x.Failure.Message, "file": x.Failure.File,
			"line": x.Failure.Line}
	}
	if input {
		doc["input"] = x.Input
	}
	return doc
}

// ruleDocuments are the rules that were asked, and where each comes from.
func (x *explanation) ruleDocuments() []map[string]any {
	docs := []map[string]any{}
	for _, r := range x.Rules() {
		fired := slices.ContainsFunc(x.Decision.Demands, func(d policy.Demand) bool { return d.Rule == r.Name }) ||
			slices.ContainsFunc(x.Decision.Deferrals, func(d policy.Deferral) bool { return d.Rule == r.Name })
		docs = append(docs, map[string]any{"name": r.Name, "title": r.Title, "layer": r.LayerName, "file": r.File,
			"codes": r.Codes, "severity": r.Severity, "deferral": r.Deferral, "fired": fired})
	}
	return docs
}

func (x *explanation) print(w io.Writer) error {
	d, st := x.Decision, x.style
	fmt.Fprintf(w, "%s  %s\n", st.Verdict(d.Verdict), term.Word(d.Code))
	if d.Reason != "" {
		fmt.Fprintf(w, "\n%s\n%s\n", st.Bold("The agent is told"), indent(d.Reason))
	}
	if d.SystemMessage != "" {
		fmt.Fprintf(w, "\n%s\n%s\n", st.Bold("The person sees"), indent(d.SystemMessage))
	}
	if x.Failure != nil {
		fmt.Fprintf(w, "\n%s\n%s\n", st.Warn("A failure decided"), indent(x.Failure.String()))
	}
	x.printTurn(w)
	x.printHandoffs(w)
	x.printDebt(w)
	x.printRules(w)
	for _, warning := range d.Warnings {
		fmt.Fprintf(w, "%s %s\n", st.Warn("warning:"), term.Visible(warning))
	}
	return nil
}

func (x *explanation) printTurn(w io.Writer) {
	if x.Facts.Event.Name != hookio.Stop {
		return
	}
	s := x.Facts.Session
	fmt.Fprintf(w, "\n%s\n", x.style.Bold("The turn"))
	for _, b := range s.Blind {
		fmt.Fprintf(w, "  %s %s\n", x.style.Warn("blind:"), blindWords(b))
	}
	fmt.Fprintf(w, "  from a %s, %s\n", originWords(s.Turn.Origin), term.Plural(s.Turn.ToolCalls, "tool call"))
	x.row(w, "begins", s.Turn.StartedAt.Offset, s.Turn.StartedAt.UUID != "")
	if n := len(s.Turn.Tools); n > 0 {
		x.row(w, "last call", s.Turn.Tools[n-1].At.Offset, true)
	}
	evidence, _ := x.Input["evidence"].(map[string]any)
	for _, key := range []string{"status_check", "stale_check", "status_box", "task_declared", "session_named"} {
		if v, ok := evidence[key].(map[string]any); ok {
			fmt.Fprintf(w, "  %-14s %s\n", strings.ReplaceAll(key, "_", " "), evidenceWords(v))
		}
	}
	if msg, ok := evidence["error"].(string); ok {
		fmt.Fprintf(w, "  %s %s\n", x.style.Warn("no evidence:"), term.Visible(msg))
	}
	r, _ := x.Input["remediation"].(map[string]any)
	fmt.Fprintf(w, "  blocked so far in this cycle: %v of %v\n", r["count"], r["cap"])
}

func evidenceWords(v map[string]any) string {
	var parts []string
	for _, key := range []string{"check_id", "text", "name", "source", "at"} {
		if s, ok := v[key].(string); ok && s != "" {
			parts = append(parts, term.OneLine(s, 60))
		}
	}
	return strings.Join(parts, "  ")
}

func (x *explanation) printHandoffs(w io.Writer) {
	for _, h := range x.Facts.Session.Handoffs {
		fmt.Fprintf(w, "\n%s %s: %s, %s\n", x.style.Bold("Handoff"), term.Word(h.TaskID), handoffWords(h), age(h))
		if h.ExpiresAt != nil && h.State.AnyText == transcript.HandoffOpen {
			fmt.Fprintf(w, "  defers until %s, unless its notification comes first\n", h.ExpiresAt.UTC().Format(time.RFC3339))
		}
		x.row(w, "opened", h.OpenedAt.Offset, true)
		if h.ClosedBy != nil {
			who := "closed by a " + term.Word(h.ClosedBy.Carrier) + " row"
			if !h.ClosedBy.Trusted {
				who += " (text only)"
			}
			x.row(w, who, h.ClosedBy.At.Offset, true)
		}
		if h.EndedBy != nil && (h.ClosedBy == nil || h.EndedBy.At.Offset != h.ClosedBy.At.Offset) {
			x.row(w, "ended by the host", h.EndedBy.At.Offset, true)
		}
	}
}

func (x *explanation) printDebt(w io.Writer) {
	s := x.Facts.Session
	if len(s.Debt.Paired) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s never collected: %s\n", x.style.Bold("Debt"), term.Words(s.Debt.Paired))
	for _, t := range s.Tasks {
		if slices.Contains(s.Debt.Paired, t.ID) {
			x.row(w, "launched "+term.Word(t.ID), t.OpenedAt.Offset, true)
		}
	}
}

func (x *explanation) printRules(w io.Writer) {
	fmt.Fprintf(w, "\n%s\n", x.style.Bold("The rules"))
	width := 0
	rules := x.Rules()
	for _, r := range rules {
		_, words := x.ruleWords(r)
		width = max(width, len(words))
	}
	for _, r := range rules {
		mark, words := x.ruleWords(r)
		fmt.Fprintf(w, "  %s %-20s %-*s  %s\n", mark, r.Name, width, words, x.style.Dim(r.LayerName))
		for _, d := range x.Decision.Demands {
			if d.Rule == r.Name {
				for _, off := range d.Evidence {
					x.row(w, "    evidence", off, true)
				}
			}
		}
	}
}

// ruleWords says what a rule did: a mark, and a few words.
func (x *explanation) ruleWords(r policy.RuleMeta) (mark, words string) {
	mark, words = "·", "nothing missing"
	if r.Deferral {
		words = "nothing to defer"
	}
	for _, d := range x.Decision.Demands {
		switch {
		case d.Rule != r.Name:
		case d.Deferred:
			mark, words = "~", d.Code+", deferred"
		case d.Severity != policy.SeverityBlock:
			mark, words = "✗", d.Code+", "+d.Severity+" only"
		default:
			mark, words = "✗", d.Code
		}
	}
	for _, d := range x.Decision.Deferrals {
		if d.Rule == r.Name {
			mark, words = "~", "defers for "+term.Word(d.TaskID)
		}
	}
	return mark, words
}

// row prints one transcript row that something rests on.
func (x *explanation) row(w io.Writer, what string, offset int64, known bool) {
	e, ok := x.rows[offset]
	if !known || !ok {
		return
	}
	fmt.Fprintf(w, "  %-14s %s\n", what, x.style.Dim(fmt.Sprintf("@%d %s %s %s", e.Offset, term.Word(e.Type), term.Clock(e.Time), term.Word(shortID(e.UUID)))))
	fmt.Fprintf(w, "  %-14s %s\n", "", term.OneLine(e.Text, 96))
}

func shortID(uuid string) string {
	if len(uuid) > 8 {
		return uuid[:8]
	}
	return uuid
}

func indent(s string) string { return "  " + strings.ReplaceAll(term.Visible(s), "\n", "\n  ") }
