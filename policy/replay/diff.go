package replay

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/stophook/stophook/policy"
)

// DiffSchema names the form of [Comparison].
const DiffSchema = "stophook.diff/v1"

// Comparison is what changes when one policy takes the place of another. Lists are
// never nil and are sorted by path and offset.
type Comparison struct {
	Schema  string   `json:"schema"`
	Changes []Change `json:"changes"` // stops whose answer differs
	Counts  Counts   `json:"counts"`
	Base    Totals   `json:"base"`
	Head    Totals   `json:"head"`
	// Errors are the files that could not be read, as sessions without stops.
	Errors []Session `json:"errors"`
	Limits []string  `json:"limits"`
}

// Kind says how an answer differs; the first that applies.
type Kind string

// The kinds, the gravest first.
const (
	NewBlock      Kind = "new_block"      // head holds the turn, base let it end or deferred
	LiftedBlock   Kind = "lifted_block"   // base held the turn, head does not
	NewDefer      Kind = "new_defer"      // head puts off, base allowed
	LiftedDefer   Kind = "lifted_defer"   // base put off, head allows
	ChangedCode   Kind = "changed_code"   // the same verdict under another code
	ChangedReason Kind = "changed_reason" // the same verdict and code, the agent is told something else
)

// Kinds lists them all, the gravest first.
func Kinds() []Kind {
	return []Kind{NewBlock, LiftedBlock, NewDefer, LiftedDefer, ChangedCode, ChangedReason}
}

// Change is one stop with both answers.
type Change struct {
	Path   string    `json:"path"`
	ID     string    `json:"id"`
	Line   int       `json:"line"` // of the final row, from 1
	Offset int64     `json:"offset"`
	Time   time.Time `json:"time,omitzero"`
	Kind   Kind      `json:"kind"`
	Base   Stop      `json:"base"`
	Head   Stop      `json:"head"`
}

// Counts are the figures of a comparison.
type Counts struct {
	Stops    int          `json:"stops"`
	Same     int          `json:"same"`
	Changed  int          `json:"changed"`
	Sessions int          `json:"sessions"` // with a change
	Kinds    map[Kind]int `json:"kinds"`    // every kind, also those with none
}

// Diff judges the same stops under two policies, in one walk. Base says what is
// read and how: Store, Since, Workers, Home and Progress of head do not count. The
// errors are those of [Run]; one of a policy says which side it is of.
//
// Each side has the history of blocks that its own policy would have made, so a
// change can show at a later stop than the one that the edited rule is about.
func Diff(ctx context.Context, paths []string, base, head Options) (*Comparison, error) {
	var judges []*policy.Judge
	for _, side := range []struct {
		name string
		opts Options
	}{{"base", base}, {"head", head}} {
		j := side.opts.gate().Judge(ctx)
		if err := j.Err(); err != nil {
			return nil, fmt.Errorf("%s: %w", side.name, err)
		}
		judges = append(judges, j)
	}
	s, err := sweepAll(ctx, paths, base, judges)
	if err != nil {
		return nil, err
	}
	c := &Comparison{Schema: DiffSchema, Changes: []Change{}, Errors: []Session{}, Limits: s.limits(),
		Base: s.totals(0), Head: s.totals(1)}
	c.Counts = Counts{Stops: c.Base.Stops, Kinds: map[Kind]int{}}
	for _, k := range Kinds() {
		c.Counts.Kinds[k] = 0
	}
	for _, p := range s.players {
		c.add(p)
	}
	c.Counts.Changed = len(c.Changes)
	c.Counts.Same = c.Counts.Stops - c.Counts.Changed
	slices.SortStableFunc(c.Changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Offset, b.Offset))
	})
	return c, nil
}

// add compares the stops of one file.
func (c *Comparison) add(p *player) {
	if p.session.Error != "" {
		e := p.session
		e.Stops = []Stop{}
		c.Errors = append(c.Errors, e)
	}
	changed := false
	for i := range p.sides[0].stops {
		b, h := p.sides[0].stops[i], p.sides[1].stops[i]
		kind := kindOf(&b, &h)
		if kind == "" {
			continue
		}
		changed = true
		c.Counts.Kinds[kind]++
		c.Changes = append(c.Changes, Change{Path: p.session.Path, ID: p.session.ID, Line: b.Line, Offset: b.Offset,
			Time: b.Time, Kind: kind, Base: b, Head: h})
	}
	if changed {
		c.Counts.Sessions++
	}
}

// kindOf is how two answers differ, empty when they do not.
func kindOf(base, head *Stop) Kind {
	was, is := base.Verdict, head.Verdict
	switch {
	case was != is && is == policy.VerdictBlock:
		return NewBlock
	case was != is && was == policy.VerdictBlock:
		return LiftedBlock
	case was != is && is == policy.VerdictDefer:
		return NewDefer
	case was != is:
		return LiftedDefer
	case base.Code != head.Code:
		return ChangedCode
	case base.Reason != head.Reason:
		return ChangedReason
	}
	return ""
}
