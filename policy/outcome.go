package policy

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/stophook/stophook/policy/decisionlog"
	"github.com/stophook/stophook/policy/evidence"
	"github.com/stophook/stophook/policy/hookio"
)

// errCapReached says that another hook of this session took the last block.
var errCapReached = errors.New("another hook of this session reached the remediation cap meanwhile")

// Carry performs what the decision asks for and returns the decision that
// stands: a block is counted before it is given, and one that cannot be counted
// is not given (D-38). In shadow mode nothing is carried out.
func (g *Gate) Carry(ctx context.Context, o *Outcome) *Decision {
	d := o.Decision
	if g.Shadow || o.Facts.Event.Name != hookio.Stop {
		return d
	}
	session, err := g.Store.Session(sessionID(o.Facts))
	if err == nil && o.Facts.stateUnknown {
		// Only a write moves the broken file aside; without one the session would
		// never have a state again. The next stop is judged with a fresh count.
		if err := session.Update(ctx, func(*evidence.State) error { return nil }); err != nil {
			o.Problems = append(o.Problems, err.Error())
		}
	}
	switch d.Effects.Remediation {
	case "increment":
		if err == nil {
			err = session.Update(ctx, o.count)
		}
		if err != nil {
			o.uncounted(err)
		}
	case "clear":
		if err == nil && (o.Facts.State.Remediation.Count > 0) {
			err = session.Update(ctx, o.clear)
		}
		if err == nil && d.Effects.ReconcileSessionEnd {
			err = session.Append(ctx, o.sessionEnded())
		}
		if err != nil {
			o.Problems = append(o.Problems, fmt.Sprintf("the session's state could not be written: %v", err))
		}
	}
	return o.Decision
}

// CarryInto is [Gate.Carry] for who keeps a session's state in memory: a replay. It
// changes st, and adds to log what Carry would have written to the ledger. It
// touches no file. The outcome must be one of Stop, judged with this state.
func (o *Outcome) CarryInto(st *evidence.State, log *evidence.Log) *Decision {
	if o.Facts.Shadow || o.Facts.Event.Name != hookio.Stop {
		return o.Decision
	}
	switch o.Decision.Effects.Remediation {
	case RemediationIncrement:
		if err := o.count(st); err != nil {
			o.uncounted(err)
		}
	case RemediationClear:
		o.clear(st)
		if o.Decision.Effects.ReconcileSessionEnd {
			log.Events = append(log.Events, o.sessionEnded())
		}
	}
	return o.Decision
}

// Blocks is how often the present cycle was blocked before this decision.
func (o *Outcome) Blocks() int { return o.Facts.blocked() }

// count records one block, and the nudge when there is one.
func (o *Outcome) count(st *evidence.State) error {
	if stop := o.Facts.sameStop(st); !stop.Counted {
		st.Remediation = stop.Remediation
		if !st.Remediation.Add(o.Facts.cycle(), o.Facts.Config.RemediationCap) {
			return errCapReached
		}
		stop.Counted = true
	}
	if o.Decision.Effects.Nudge {
		st.Nudged = o.Facts.nudgeKey()
	}
	return nil
}

// clear ends the cycle of blocks, unless another process holds this very stop.
func (o *Outcome) clear(st *evidence.State) error {
	if !o.Facts.sameStop(st).Counted {
		st.Remediation = evidence.Remediation{}
	}
	return nil
}

// sessionEnded is what a passing stop adds when the end of the session was asked for.
func (o *Outcome) sessionEnded() evidence.Event {
	return evidence.Event{Kind: evidence.SessionEnded, TS: o.Facts.Now}
}

// uncounted replaces a block that could not be counted.
func (o *Outcome) uncounted(err error) {
	f := Failure{Kind: FailureEvidence, Message: fmt.Sprintf(
		"this stop was to be held (%s), but the block could not be counted, so it passes: %v", o.Decision.Code, err)}
	demands := o.Decision.Demands
	o.Failure, o.Decision = &f, Fallback(f)
	o.Decision.Demands = demands
}

// Answer turns a decision into what the host is told.
func (d *Decision) Answer(ev *hookio.Event, shadow bool) hookio.Answer {
	answer := hookio.Allow()
	if d.Verdict == "block" && !shadow {
		if ev.Name == hookio.PreToolUse {
			answer = hookio.Deny(d.Reason)
		} else {
			answer = hookio.Block(d.Reason)
		}
	}
	if shadow {
		return answer
	}
	return answer.WithMessage(d.SystemMessage)
}

// Record is the outcome as a decision log event.
func (o *Outcome) Record(id, version string) decisionlog.Event {
	e := decisionlog.Event{Labels: map[string]string{"app": "stophook", "version": version}, DecisionID: id,
		Path: decisionlog.Path, Result: o.Decision.Document(), Timestamp: o.Facts.Now,
		Custom: map[string]any{decisionlog.CustomSessionID: sessionID(o.Facts), "shadow": o.Facts.Shadow}}
	if o.Input != nil { // a logged input promises that it can be replayed
		e.Input, e.Prepared = o.Input, o.logged
	}
	for _, r := range o.Rules() {
		if e.Bundles == nil {
			e.Bundles = map[string]decisionlog.Bundle{}
		}
		e.Bundles[r.LayerName] = decisionlog.Bundle{}
	}
	e.Metrics = map[string]any{}
	for name, d := range o.Spent {
		e.Metrics["timer_"+name+"_ns"] = d.Nanoseconds()
	}
	if o.Failure != nil {
		e.Error = map[string]any{"code": o.Failure.Kind, "message": o.Failure.Message}
	}
	return e
}

// Rules are the rules that could judge the event, in order of layer and rank.
func (o *Outcome) Rules() []RuleMeta {
	if o.engine == nil {
		return nil
	}
	var list []RuleMeta
	for _, r := range o.engine.Rules() {
		if r.For(string(o.Facts.Event.Name)) {
			list = append(list, r)
		}
	}
	return list
}

// BlockStyle is how a block is written for this host. Feedback needs a host that
// knows it (2.1.163); for an older or unknown one it would be a gate lost in
// silence, so the plain decision is sent.
func (o *Outcome) BlockStyle() hookio.BlockStyle {
	if o.Facts.Config.BlockStyle == BlockStyleFeedback && atLeast(o.Facts.Session.Version, 2, 1, 163) {
		return hookio.StyleFeedback
	}
	return hookio.StyleDecision
}

// atLeast compares a dotted version with the wanted numbers.
func atLeast(version string, want ...int) bool {
	for _, w := range want {
		part, rest, _ := strings.Cut(version, ".")
		n := 0
		if part == "" {
			return false
		}
		for _, c := range part {
			if c < '0' || c > '9' {
				return false
			}
			n = n*10 + int(c-'0')
		}
		if n != w {
			return n > w
		}
		version = rest
	}
	return true
}

// Briefing is what the agent is told at the start of a session: one line for
// every blocking rule that has one. ev is the event that asks for it.
func (g *Gate) Briefing(ctx context.Context, ev *hookio.Event) (string, error) {
	if g.ConfigErr != nil {
		return "", g.ConfigErr
	}
	engine, err := NewEngine(ctx, EngineOptions{Layers: g.Layers, Event: string(hookio.Stop),
		RuleSettings: g.Config.ruleSettings(), Now: g.Now})
	if err != nil {
		return "", err
	}
	var lines []string
	for _, r := range engine.Rules() {
		severity := r.Severity
		if s := g.Config.Rules[r.Name].Severity; s != "" {
			severity = s
		}
		if r.Brief == "" || severity != SeverityBlock || !r.For(string(hookio.Stop)) {
			continue
		}
		lines = append(lines, strings.NewReplacer("{{command}}", g.Command, "{{session}}", sessionFlag(ev)).Replace(r.Brief))
	}
	return strings.Join(lines, "\n"), nil
}

// ruleSettings is what the configuration says about single rules.
func (c Config) ruleSettings() map[string]RuleSetting {
	settings := make(map[string]RuleSetting, len(c.Rules))
	for name, r := range c.Rules {
		settings[name] = RuleSetting(r)
	}
	return settings
}

// String gives the place and the message of a failure.
func (f Failure) String() string {
	return (&PolicyError{File: f.File, Line: f.Line, Message: f.Message}).Error()
}
