package replay

import (
	"cmp"
	"slices"
	"time"

	"github.com/stophook/stophook/policy"
)

// Totals are the figures over all sessions. Every list is sorted.
type Totals struct {
	Files       int   `json:"files"`        // transcripts found, those of subagents not counted
	Bytes       int64 `json:"bytes"`        // of these
	Sessions    int   `json:"sessions"`     // with at least one stop that counts
	NoStop      int   `json:"no_stop"`      // without any stop
	BeforeSince int   `json:"before_since"` // with nothing that is recent enough
	Subagents   int   `json:"subagents"`    // transcripts of subagents, left out
	Unreadable  int   `json:"unreadable"`   // files and folders

	Stops int `json:"stops"`
	Allow int `json:"allow"`
	Block int `json:"block"`
	Defer int `json:"defer"`
	// BlockRate is the share of stops that were blocked, 0 to 1.
	BlockRate float64 `json:"block_rate"`
	// Warned are the stops that were not blocked although a demand of severity warn
	// was not met: the person would have been told.
	Warned int `json:"warned"`

	Codes []CodeCount `json:"codes"` // the most frequent first
	Rules []RuleCount `json:"rules"` // the one that blocked most first

	// LongestChain is the longest run of blocked stops with none other between
	// them; nil when nothing was blocked.
	LongestChain *Chain `json:"longest_chain,omitempty"`
	// DeferredSeconds is how long turns were over while something was put off: the
	// sum over deferred stops of the time to the session's next stop, or to the
	// latest expiry of the deferrals when that is earlier or nothing follows.
	DeferredSeconds float64 `json:"deferred_seconds"`
	// Hardest are the sessions with most blocked stops, ten at most.
	Hardest []Hit `json:"hardest"`

	// Agree and Differ compare with what the host recorded of the hooks that it ran
	// then; Unrecorded are stops of which it recorded nothing.
	Agree      int `json:"agree"`
	Differ     int `json:"differ"`
	Unrecorded int `json:"unrecorded"`

	Evidence EvidenceCount `json:"evidence"`
}

// CodeCount is how many stops got a code.
type CodeCount struct {
	Code    string `json:"code"`
	Verdict string `json:"verdict"`
	Stops   int    `json:"stops"`
}

// RuleCount is what one rule or deferral did, in stops.
type RuleCount struct {
	Rule     string `json:"rule"`
	Blocked  int    `json:"blocked"`  // its demand stood among those that held the turn
	Deferred int    `json:"deferred"` // its demand was put off; for a deferral: it put some off
	Warned   int    `json:"warned"`   // its demand was only shown
	Observed int    `json:"observed"` // its demand was only logged
	Let      int    `json:"let"`      // its demand was of severity block, and the stop passed all the same
}

// Chain is a run of blocked stops.
type Chain struct {
	Path   string `json:"path"`
	ID     string `json:"id"`
	Length int    `json:"length"`
	Lines  []int  `json:"lines"`
}

// Hit is a session and its blocked stops.
type Hit struct {
	Path   string `json:"path"`
	ID     string `json:"id"`
	Stops  int    `json:"stops"`
	Blocks int    `json:"blocks"`
	Lines  []int  `json:"lines"` // of the blocked stops
}

// EvidenceCount is where the evidence of sessions with stops came from.
type EvidenceCount struct {
	Ledger     int `json:"ledger"`
	Transcript int `json:"transcript"`
	None       int `json:"none"`
}

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
