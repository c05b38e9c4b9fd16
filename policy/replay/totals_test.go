package replay

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/stophook/stophook/policy"
)

func at(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }

func held(line, blocks int, recorded string) Stop {
	return Stop{Line: line, Blocks: blocks, Time: at(line), Verdict: policy.VerdictBlock, Code: "x.tests", Recorded: recorded, Demands: []policy.Demand{
		{Rule: "tests", Severity: policy.SeverityBlock}, {Rule: "tests", Severity: policy.SeverityBlock}, {Rule: "notes", Severity: policy.SeverityWarn}}}
}

func passed(line int, recorded string, demands ...policy.Demand) Stop {
	return Stop{Line: line, Time: at(line), Verdict: policy.VerdictAllow, Code: "x.pass", Recorded: recorded, Demands: demands}
}

func putOff(line int, until time.Time) Stop {
	s := Stop{Line: line, Time: at(line), Verdict: policy.VerdictDefer, Code: "x.later",
		Demands:   []policy.Demand{{Rule: "tests", Severity: policy.SeverityBlock, Deferrable: true, Deferred: true}},
		Deferrals: []policy.Deferral{{Rule: "job", TaskID: "b1"}}}
	if !until.IsZero() {
		s.Deferrals[0].Until = until.Format(time.RFC3339Nano)
	}
	return s
}

// swept makes a sweep of sessions that are already judged.
func swept(sessions ...[]Stop) *sweep {
	s := &sweep{found: &found{subagents: 3}}
	for i, stops := range sessions {
		name := string(rune('a' + i))
		s.players = append(s.players, &player{sides: []*side{{stops: stops}}, judged: len(stops),
			session: Session{Path: name + ".jsonl", ID: name, Size: 10, Stops: stops, Evidence: EvidenceLedger}})
	}
	return s
}

func TestTotals(t *testing.T) {
	warn := policy.Demand{Rule: "notes", Severity: policy.SeverityWarn}
	got := swept(
		[]Stop{held(1, 0, "blocked"), held(2, 0, "passed"), passed(3, "passed", warn), held(4, 0, "")},
		[]Stop{},
		[]Stop{held(6, 0, ""), held(7, 0, ""), held(8, 1, ""), held(9, 2, ""), passed(12, "blocked", policy.Demand{Rule: "tests", Severity: policy.SeverityBlock}), putOff(20, at(50)), passed(30, "")},
	).totals(0)
	want := Totals{Files: 3, Bytes: 30, Sessions: 2, NoStop: 1, Subagents: 3, Stops: 11, Allow: 3, Block: 7, Defer: 1, BlockRate: 7.0 / 11, Warned: 1,
		Codes:        []CodeCount{{"x.tests", "block", 7}, {"x.pass", "allow", 3}, {"x.later", "defer", 1}},
		Rules:        []RuleCount{{Rule: "tests", Blocked: 7, Deferred: 1, Let: 1}, {Rule: "job", Deferred: 1}, {Rule: "notes", Warned: 8}},
		LongestChain: &Chain{Path: "c.jsonl", ID: "c", Length: 3, Lines: []int{7, 8, 9}}, DeferredSeconds: 10,
		Hardest: []Hit{{Path: "c.jsonl", ID: "c", Stops: 7, Blocks: 4, Lines: []int{6, 7, 8, 9}}, {Path: "a.jsonl", ID: "a", Stops: 4, Blocks: 3, Lines: []int{1, 2, 4}}},
		Agree:   2, Differ: 2, Unrecorded: 7, Evidence: EvidenceCount{Ledger: 2}}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Errorf("totals (-want +got):\n%s", diff)
	}
}

func TestTotals_hardestIsBounded(t *testing.T) {
	var sessions [][]Stop
	for range maxHardest + 3 {
		sessions = append(sessions, []Stop{held(1, 0, "")})
	}
	if got := swept(sessions...).totals(0); len(got.Hardest) != maxHardest || got.Hardest[0].Path != "a.jsonl" {
		t.Errorf("%d sessions, the first %s", len(got.Hardest), got.Hardest[0].Path)
	}
}

func TestDeferredFor(t *testing.T) {
	for _, tt := range []struct {
		reason string
		stops  []Stop
		want   time.Duration
	}{
		{"to the next stop", []Stop{putOff(10, at(100)), passed(25, "")}, 15 * time.Second},
		{"to the expiry, which comes first", []Stop{putOff(10, at(20)), passed(25, "")}, 10 * time.Second},
		{"to the expiry, when nothing follows", []Stop{putOff(10, at(100))}, 90 * time.Second},
		{"without an expiry to the next stop", []Stop{putOff(10, time.Time{}), passed(25, "")}, 15 * time.Second},
		{"without either it cannot be told", []Stop{putOff(10, time.Time{})}, 0},
		{"clocks that go backwards count nothing", []Stop{putOff(10, at(100)), passed(5, "")}, 0},
	} {
		if got := deferredFor(tt.stops, 0); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.reason, got, tt.want)
		}
	}
}
