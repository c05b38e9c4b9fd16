package policytest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stophook/stophook/policy"
)

// A CaseResult is what was decided in a case, held against what was wanted.
type CaseResult struct {
	Reason        string `json:"reason"` // of want.json: why the answer should be what it is
	Verdict       string `json:"verdict"`
	Code          string `json:"code"`
	Text          string `json:"text"`           // the decision's reason, for the agent
	SystemMessage string `json:"system_message"` // for the person
	// Checks are all that want.json asks for, in the order of its documentation.
	Checks []Check `json:"checks"`
	// The evidence; only of a case that did not pass, or with [Options.Output].
	Demands  []DemandSeen `json:"demands,omitempty"`
	Turn     *TurnSeen    `json:"turn,omitempty"`
	Warnings []string     `json:"warnings,omitempty"` // of the decision, and of its configuration
}

// A Check is one thing that want.json asks for.
type Check struct {
	Key  string `json:"key"`
	Line int    `json:"line"` // of the key in want.json
	OK   bool   `json:"ok"`
	Want string `json:"want"`
	Got  string `json:"got"`
}

// compare holds a decision against what is wanted.
func compare(w *Want, d *policy.Decision) []Check {
	checks := []Check{}
	add := func(key string, ok bool, want, got string) {
		checks = append(checks, Check{Key: key, Line: w.lines[key], OK: ok, Want: want, Got: got})
	}
	if w.Verdict != "" {
		add("verdict", w.Verdict == d.Verdict, w.Verdict, d.Verdict)
	}
	if w.Code != "" {
		add("code", w.Code == d.Code, w.Code, d.Code)
	}
	for _, part := range w.ReasonMustMention {
		ok := strings.Contains(d.Reason, part)
		add("reason_must_mention", ok, fmt.Sprintf("mentions %q", part), mentions(ok))
	}
	for _, part := range w.ReasonMustNotMention {
		has := strings.Contains(d.Reason, part)
		add("reason_must_not_mention", !has, fmt.Sprintf("does not mention %q", part), mentions(has))
	}
	var codes []string
	for _, x := range d.Demands {
		if !slices.Contains(codes, x.Code) {
			codes = append(codes, x.Code)
		}
	}
	got := "none"
	if len(codes) > 0 {
		got = strings.Join(codes, ", ")
	}
	for _, code := range w.Demands {
		add("demands", slices.Contains(codes, code), code, got)
	}
	for _, code := range w.NoDemands {
		add("no_demands", !slices.Contains(codes, code), "no "+code, got)
	}
	return checks
}

func mentions(has bool) string {
	if has {
		return "mentions it"
	}
	return "does not mention it"
}

// summary is one line about the checks that do not hold; empty when all do.
func summary(checks []Check) string {
	var parts []string
	for _, c := range checks {
		if !c.OK {
			parts = append(parts, fmt.Sprintf("%s: wanted %s, got %s", shortKey(c.Key), c.Want, c.Got))
		}
	}
	return strings.Join(parts, "; ")
}

// shortKey is what of the decision a key is about.
func shortKey(key string) string {
	if strings.HasPrefix(key, "reason") {
		return "reason"
	}
	return strings.TrimPrefix(key, "no_")
}
