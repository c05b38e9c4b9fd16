package policytest

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/open-policy-agent/opa/v1/topdown"

	"github.com/stophook/stophook/policy"
	"github.com/stophook/stophook/policy/evidence"
	"github.com/stophook/stophook/policy/hookio"
)

// bypassVariable is what the hook looks at for [policy.Gate.Bypass].
const bypassVariable = "STOPHOOK_BYPASS"

// A judge decides cases under one set of policies. Safe for concurrent use.
type judge struct {
	layers []policy.Layer
	config string // of --config; may be empty
	cover  topdown.QueryTracer
	output bool
	temp   string
	now    func() time.Time
}

// run loads and decides one case.
func (j *judge) run(ctx context.Context, of caseOf) Test {
	began := j.now()
	t := Test{Kind: KindCase, Name: of.name, File: path.Join(of.dir, WantFile), Line: 1}
	c, err := LoadCase(of.dir)
	if err == nil {
		err = j.decide(ctx, c, of.others, &t)
	}
	if err != nil {
		t.Result, t.Message = Error, err.Error()
		if abs, err := filepath.Abs(of.dir); err == nil {
			t.Message = strings.ReplaceAll(t.Message, abs, of.dir) // as the other messages name it
		}
		if bad, ok := firstCaseError(err); ok && bad.File == t.File && bad.Line > 0 {
			t.Line = bad.Line
		}
	}
	t.Seconds = micros(j.now().Sub(began).Seconds())
	return t
}

// decide asks the gate, as the hook does, and fills in t.
func (j *judge) decide(ctx context.Context, c *Case, others []string, t *Test) error {
	cfg, warnings, err := c.config(j.config)
	if err != nil {
		return err
	}
	if c.Want.Only {
		for _, name := range others {
			cfg.Rules[name] = policy.RuleConfig{Severity: policy.SeverityOff}
		}
	}
	temp, err := os.MkdirTemp(j.temp, "case-")
	if err != nil {
		return fmt.Errorf("no folder for the evidence of the case: %w; set TMPDIR to a folder that can be written", err)
	}
	store, err := c.store(temp)
	if err != nil {
		return fmt.Errorf("the evidence of the case cannot be put in place: %w", err)
	}
	o := j.gate(c, cfg, store).Evaluate(ctx, c.Event)
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := broken(&c.Want, o); err != nil {
		return err
	}
	d := o.Decision
	r := &CaseResult{Reason: c.Want.Reason, Verdict: d.Verdict, Code: d.Code, Text: d.Reason, SystemMessage: d.SystemMessage,
		Checks: compare(&c.Want, d)}
	t.Case, t.Result, t.Message = r, Pass, summary(r.Checks)
	if t.Message != "" {
		t.Result = Fail
		t.Line = failedLine(r.Checks)
	}
	if t.Result == Fail || j.output || j.cover != nil {
		t.Output = j.probe(ctx, c, cfg, o)
	}
	if t.Result == Fail || j.output {
		r.Demands, r.Turn = j.view(c, o)
		for _, warning := range d.Warnings {
			if !strings.Contains(d.SystemMessage, warning) { // told already
				r.Warnings = append(r.Warnings, warning)
			}
		}
		for _, w := range warnings {
			r.Warnings = append(r.Warnings, w.String())
		}
	} else {
		t.Output = ""
	}
	return nil
}

func (j *judge) gate(c *Case, cfg policy.Config, store evidence.Store) *policy.Gate {
	getenv := func(name string) string { return c.Env[name] }
	mode, entry := hookio.Mode(getenv)
	now := func() time.Time { return c.Want.Now }
	store.Now = now
	bypass := c.Env[bypassVariable]
	return &policy.Gate{Layers: j.layers, Config: cfg, Store: store, Now: now, Mode: mode, Entry: entry, Command: "stophook",
		Home: c.Env["HOME"], Bypass: bypass != "" && bypass != "0" && !strings.EqualFold(bypass, "false"), Validate: true}
}

// broken tells that a decision is stophook's own failure and no answer of the
// policies. Most are an allow, so that a case that wants one would pass for the
// wrong reason.
func broken(w *Want, o *policy.Outcome) error {
	d := o.Decision
	if w.Code == d.Code {
		return nil
	}
	if o.Failure != nil {
		return fmt.Errorf("the policies could not decide: %s", o.Failure)
	}
	if o.Facts.EvidenceError != "" && d.Code == "stop-hook.evidence_unavailable" {
		return fmt.Errorf("the case could not be judged: %s", o.Facts.EvidenceError)
	}
	return nil
}

// probe decides the same input once more, for what print() writes and for
// coverage: the hook's own path has neither.
func (j *judge) probe(ctx context.Context, c *Case, cfg policy.Config, o *policy.Outcome) string {
	if o.Failure != nil {
		return ""
	}
	settings := map[string]policy.RuleSetting{}
	for name, r := range cfg.Rules {
		settings[name] = policy.RuleSetting(r)
	}
	var printed strings.Builder
	engine, err := policy.NewEngine(ctx, policy.EngineOptions{Layers: j.layers, Event: string(c.Event.Name), RuleSettings: settings,
		Now: func() time.Time { return c.Want.Now }, Tracer: j.cover,
		Print: func(file string, line int, text string) { fmt.Fprintf(&printed, "%s:%d: %s\n", file, line, text) }})
	if err == nil {
		_, err = engine.Decide(ctx, o.Input)
	}
	if err != nil {
		fmt.Fprintf(&printed, "(the second evaluation, for print() and coverage, failed: %v)\n", err)
	}
	return printed.String()
}

func failedLine(checks []Check) int {
	for _, c := range checks {
		if !c.OK {
			return c.Line
		}
	}
	return 1
}
