package replay

import (
	"cmp"
	"slices"
	"time"

	"github.com/stophook/stophook/policy"
)

// maxHardest bounds Totals.Hardest.
const maxHardest = 10

// totals counts what the policy with the given number made of everything.
func (s *sweep) totals(which int) Totals {
	t := Totals{Subagents: s.found.subagents, Codes: []CodeCount{}, Rules: []RuleCount{}, Hardest: []Hit{}}
	codes, rules := map[CodeCount]int{}, map[string]*RuleCount{}
	for _, p := range s.players {
		if p.subagent() {
			t.Subagents++
			continue
		}
		stops := p.sides[which].stops
		t.file(p, len(stops))
		hit := Hit{Path: p.session.Path, ID: p.session.ID, Stops: len(stops), Lines: []int{}}
		chain := hit
		for i := range stops {
			t.stop(&stops[i], codes, rules)
			if stops[i].Blocks == 0 {
				chain.Lines = nil // a new prompt, and a new cycle
			}
			if stops[i].Verdict == policy.VerdictBlock {
				hit.Lines = append(hit.Lines, stops[i].Line)
				chain.Lines = append(chain.Lines, stops[i].Line)
				if t.LongestChain == nil || len(chain.Lines) > t.LongestChain.Length {
					t.LongestChain = &Chain{hit.Path, hit.ID, len(chain.Lines), slices.Clone(chain.Lines)}
				}
			} else {
				chain.Lines = nil
			}
			if stops[i].Verdict == policy.VerdictDefer {
				t.DeferredSeconds += deferredFor(stops, i).Seconds()
			}
		}
		if hit.Blocks = len(hit.Lines); hit.Blocks > 0 {
			t.Hardest = append(t.Hardest, hit)
		}
	}
	if t.Stops > 0 {
		t.BlockRate = float64(t.Block) / float64(t.Stops)
	}
	t.sort(codes, rules)
	return t
}

// file counts one transcript.
func (t *Totals) file(p *player, stops int) {
	if p.session.Error != "" {
		t.Unreadable++
	}
	if p.session.Size > 0 || p.session.Error == "" {
		t.Files++
		t.Bytes += p.session.Size
	}
	switch {
	case stops > 0:
		t.Sessions++
	case p.session.Error != "":
		return
	case p.judged > 0 || p.walked.Old:
		t.BeforeSince++
		return
	default:
		t.NoStop++
		return
	}
	switch p.session.Evidence {
	case EvidenceLedger:
		t.Evidence.Ledger++
	case EvidenceTranscript:
		t.Evidence.Transcript++
	default:
		t.Evidence.None++
	}
}

// stop counts one decision.
func (t *Totals) stop(s *Stop, codes map[CodeCount]int, rules map[string]*RuleCount) {
	t.Stops++
	switch s.Verdict {
	case policy.VerdictBlock:
		t.Block++
	case policy.VerdictDefer:
		t.Defer++
	default:
		t.Allow++
	}
	codes[CodeCount{Code: s.Code, Verdict: s.Verdict}]++
	switch same, known := s.agrees(); {
	case !known:
		t.Unrecorded++
	case same:
		t.Agree++
	default:
		t.Differ++
	}
	warned := false
	for name, c := range ruleCounts(s) {
		if rules[name] == nil {
			rules[name] = &RuleCount{Rule: name}
		}
		rules[name].add(c)
		warned = warned || c.Warned > 0
	}
	if warned && s.Verdict != policy.VerdictBlock {
		t.Warned++
	}
}

// ruleCounts is what each rule did at one stop, each thing once.
func ruleCounts(s *Stop) map[string]RuleCount {
	counts := map[string]RuleCount{}
	for _, d := range s.Demands {
		c := counts[d.Rule]
		switch {
		case d.Deferred:
			c.Deferred = 1
		case d.Severity == policy.SeverityWarn:
			c.Warned = 1
		case d.Severity != policy.SeverityBlock:
			c.Observed = 1
		case s.Verdict == policy.VerdictBlock:
			c.Blocked = 1
		default:
			c.Let = 1
		}
		counts[d.Rule] = c
	}
	for _, d := range s.Deferrals {
		c := counts[d.Rule]
		c.Deferred = 1
		counts[d.Rule] = c
	}
	return counts
}

func (c *RuleCount) add(o RuleCount) {
	c.Blocked += o.Blocked
	c.Deferred += o.Deferred
	c.Warned += o.Warned
	c.Observed += o.Observed
	c.Let += o.Let
}

// deferredFor is how long the deferral of a stop lasted.
func deferredFor(stops []Stop, i int) time.Duration {
	from := stops[i].Time
	var until time.Time
	for _, d := range stops[i].Deferrals {
		if at, err := time.Parse(time.RFC3339Nano, d.Until); err == nil && at.After(until) {
			until = at
		}
	}
	if i+1 < len(stops) {
		if next := stops[i+1].Time; !next.IsZero() && (until.IsZero() || next.Before(until)) {
			until = next
		}
	}
	if from.IsZero() || until.Before(from) {
		return 0
	}
	return until.Sub(from)
}

func (t *Totals) sort(codes map[CodeCount]int, rules map[string]*RuleCount) {
	for c, n := range codes {
		c.Stops = n
		t.Codes = append(t.Codes, c)
	}
	slices.SortFunc(t.Codes, func(a, b CodeCount) int {
		return cmp.Or(b.Stops-a.Stops, cmp.Compare(a.Code, b.Code), cmp.Compare(a.Verdict, b.Verdict))
	})
	for _, r := range rules {
		t.Rules = append(t.Rules, *r)
	}
	slices.SortFunc(t.Rules, func(a, b RuleCount) int {
		return cmp.Or(b.Blocked-a.Blocked, b.Deferred-a.Deferred, b.Warned-a.Warned, cmp.Compare(a.Rule, b.Rule))
	})
	slices.SortStableFunc(t.Hardest, func(a, b Hit) int { return b.Blocks - a.Blocks })
	t.Hardest = t.Hardest[:min(len(t.Hardest), maxHardest)]
}
