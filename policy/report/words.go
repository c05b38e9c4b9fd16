package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stophook/stophook/policy"
	"github.com/stophook/stophook/policy/replay"
	"github.com/stophook/stophook/transcript"
)

// The classes of a stop: its verdict, or that no policy could decide.
const (
	classAllow = "allow"
	classBlock = "block"
	classDefer = "defer"
	classFault = "fault"
)

func classOf(verdict, code string) string {
	switch code {
	case "stop-hook.policy_error", "stop-hook.evidence_unavailable":
		return classFault
	}
	switch verdict {
	case classBlock, classDefer:
		return verdict
	}
	return classAllow
}

// stop adds one decision.
func (b *builder) stop(s replay.Stop, c *Counts) {
	out := &Stop{Verdict: word(s.Verdict), Class: classOf(s.Verdict, s.Code), Code: word(s.Code), Reason: clip(s.Reason, reasonLimit),
		Demands: []Demand{}, Deferrals: []Deferral{}, Blocks: s.Blocks, Recorded: word(s.Recorded),
		RecordedReason: clip(s.RecordedReason, reasonLimit), SystemMessage: clip(s.SystemMessage, reasonLimit)}
	for _, d := range s.Demands[:min(len(s.Demands), maxDemands)] {
		demand := Demand{Rule: word(d.Rule), Code: word(d.Code), Text: clip(d.Text, reasonLimit), Severity: word(d.Severity), Deferred: d.Deferred}
		for _, off := range d.Evidence[:min(len(d.Evidence), maxEvidence)] {
			demand.Evidence = append(demand.Evidence, Evidence{Offset: off})
		}
		out.Demands = append(out.Demands, demand)
	}
	for _, d := range s.Deferrals[:min(len(s.Deferrals), maxDemands)] {
		out.Deferrals = append(out.Deferrals, Deferral{Rule: word(d.Rule), Code: word(d.Code), TaskID: word(d.TaskID),
			Until: word(d.Until), Words: b.deferral(d, s.Time)})
	}
	out.Differs = s.Recorded == "blocked" && s.Verdict != classBlock || s.Recorded == "passed" && s.Verdict == classBlock
	out.Words = b.explain(s, out)
	c.Stops++
	switch out.Class {
	case classBlock:
		c.Blocked++
	case classDefer:
		c.Deferred++
	case classFault:
		c.Faults++
	default:
		c.Allowed++
	}
	title := map[string]string{classAllow: "Stop allowed", classBlock: "Stop blocked", classDefer: "Stop deferred", classFault: "Stop not decided"}[out.Class]
	b.add(Event{Kind: KindStop, State: out.Class, Title: title, Text: shortCode(s.Code), Stop: out, rank: 9},
		transcript.At{Line: s.Line, Offset: s.Offset, Time: s.Time})
}

// shortCode is a code without the prefix that all built-in ones have.
func shortCode(code string) string { return strings.TrimPrefix(code, "stop-hook.") }

// explain says a decision in whole sentences.
func (b *builder) explain(s replay.Stop, out *Stop) []string {
	words := []string{outcome(s, out)}
	if out.Class == classDefer {
		var put []string
		for _, d := range out.Demands {
			if d.Deferred {
				put = append(put, shortCode(d.Code))
			}
		}
		if len(put) > 0 {
			words = append(words, "Put off: "+strings.Join(slices.Compact(put), ", ")+".")
		}
	}
	if s.Blocks > 0 {
		words = append(words, fmt.Sprintf("Before this stop the agent had been sent back %s in a row.", times(s.Blocks)))
	}
	switch {
	case s.Recorded == "blocked" && out.Differs:
		words = append(words, "The host recorded that its own hook blocked here: this policy answers otherwise.")
	case s.Recorded == "passed" && out.Differs:
		words = append(words, "The host recorded that the agent stopped here: this policy would have held it.")
	case s.Recorded == "blocked":
		words = append(words, "The host recorded a block here, too.")
	case s.Recorded == "passed":
		words = append(words, "The host recorded that the agent stopped here.")
	default:
		words = append(words, "The host left no record of its own answer.")
	}
	return words
}

// outcome is the first sentence.
func outcome(s replay.Stop, out *Stop) string {
	blocking := 0
	for _, d := range s.Demands {
		if d.Severity == "block" && !d.Deferred {
			blocking++
		}
	}
	switch out.Class {
	case classBlock:
		if blocking == 0 {
			return "The agent was sent back to work."
		}
		return "The agent was sent back to work, because of " + plural(blocking, "unmet demand") + "."
	case classDefer:
		return "The agent could stop, and what it owed was put off."
	case classFault:
		if shortCode(s.Code) == "evidence_unavailable" {
			return "The evidence could not be read, so nothing was decided and the agent could stop."
		}
		return "A policy failed, so nothing was decided and the agent could stop."
	}
	switch shortCode(s.Code) {
	case "pass":
		return "The agent could stop: nothing that blocks was missing."
	case "prose_pass":
		return "The agent could stop: the turn used no tool, so it owed nothing."
	case "remediation_cap":
		return "The agent could stop, although demands were unmet: it had been sent back too often already."
	case "bypass":
		return "The agent could stop: the gate was switched off."
	case "not_main_thread":
		return "The agent could stop: this was not the main thread."
	case "host_cannot_block":
		return "The agent could stop: the host cannot be held here."
	case "background_debt":
		return "The agent could stop, although background work was not collected: it had been told so once."
	}
	return "The agent could stop, with the code " + cmp.Or(word(s.Code), "of none") + "."
}

// deferral says why demands could wait, and how long.
func (b *builder) deferral(d policy.Deferral, at time.Time) string {
	var words string
	if shortCode(d.Code) == "background_handoff_deferred" {
		words = "Task " + word(d.TaskID) + " had been moved to the background to deliver a message and had not reported back"
		for _, o := range b.h.Handoffs {
			if o.TaskID == d.TaskID && o.Command != "" {
				words = "Task " + word(d.TaskID) + " (" + word(o.Command) + ") had been moved to the background to deliver a message and had not reported back"
			}
		}
	} else {
		words = "Deferral " + word(d.Rule) + " says " + word(shortCode(d.Code))
		if d.TaskID != "" {
			words += " for task " + word(d.TaskID)
		}
	}
	until, err := time.Parse(time.RFC3339Nano, d.Until)
	if err != nil {
		return words + "."
	}
	words += "; it may defer until " + b.clock(until)
	if left := until.Sub(at); !at.IsZero() && left >= 0 {
		words += ", " + span(left) + " after this stop"
	}
	return words + "."
}

func (b *builder) clock(t time.Time) string { return t.In(b.zone).Format("15:04:05") }

func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return count(n) + " times"
}

// span is a duration for people: two units at most.
func span(d time.Duration) string {
	if d = max(d, 0); d >= 10*time.Second {
		d = d.Round(time.Second)
	}
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return units(int(d.Minutes()), "min", int(d.Seconds())%60, "s")
	case d < 48*time.Hour:
		return units(int(d.Hours()), "h", int(d.Minutes())%60, "min")
	}
	return units(int(d.Hours())/24, "d", int(d.Hours())%24, "h")
}

func units(big int, bigUnit string, small int, smallUnit string) string {
	if small == 0 {
		return fmt.Sprintf("%d %s", big, bigUnit)
	}
	return fmt.Sprintf("%d %s %d %s", big, bigUnit, small, smallUnit)
}

// link gives the evidence of demands the events that stand at its offsets.
func (b *builder) link(events []Event) {
	refs := map[int64]string{}
	for _, e := range events {
		if _, ok := refs[e.Offset]; !ok && e.Kind != KindStop {
			refs[e.Offset] = e.Ref
		}
	}
	for _, e := range events {
		if e.Stop == nil {
			continue
		}
		for _, d := range e.Stop.Demands {
			for i := range d.Evidence {
				d.Evidence[i].Ref = refs[d.Evidence[i].Offset]
			}
		}
	}
}
