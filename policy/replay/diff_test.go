package replay

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/fixtures"
	"github.com/stophook/stophook/policy"
)

// muted is the shipped policy without its deferral.
func muted(o Options) Options {
	o.Config.Rules = map[string]policy.RuleConfig{"background_handoff": {Severity: policy.SeverityOff}}
	return o
}

// TestDiff_withoutTheDeferral is the bar: between the shipped policy and one with
// the deferral removed, exactly the deferred stops are new blocks.
func TestDiff_withoutTheDeferral(t *testing.T) {
	x := newTree(t)
	var wanted []string // by the fixtures
	other := otherInputs()
	for _, c := range stopCases(t, x) {
		custom := len(c.opts.Layers) > 0 || c.opts.Config.Closing != policy.DefaultConfig().Closing
		if c.Area == fixtures.Stop && c.Want.Verdict == policy.VerdictDefer && other[c.Name] == "" && !custom {
			wanted = append(wanted, c.path)
		}
	}
	slices.Sort(wanted)
	base := x.opts()
	c, err := Diff(context.Background(), []string{x.dir}, base, muted(base))
	if err != nil {
		t.Fatal(err)
	}
	var deferred, blocked, capped []string
	r, err := Run(context.Background(), []string{x.dir}, base)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range r.Sessions {
		for _, stop := range s.Stops {
			if stop.Verdict == policy.VerdictDefer {
				deferred = append(deferred, s.Path)
			}
		}
	}
	for _, change := range c.Changes {
		if change.Kind == NewBlock {
			blocked = append(blocked, change.Path)
		}
		if change.Kind == LiftedDefer && change.Head.Code == "stop-hook.remediation_cap" {
			capped = append(capped, change.Path)
			continue
		}
		if change.Kind == NewBlock && (change.Base.Verdict != policy.VerdictDefer || change.Head.Verdict != policy.VerdictBlock || change.Head.Reason == "") {
			t.Errorf("%s:%d: %s %s became %s %s", change.Path, change.Line, change.Base.Verdict, change.Base.Code, change.Head.Verdict, change.Head.Code)
		}
	}
	// The sixth stop of this one passes under both: five blocks in a row are the
	// cap, and with the deferral there was none.
	if len(capped) != 1 || !strings.Contains(capped[0], "incident-five-bounces") {
		t.Errorf("%q pass because of the cap, want the incident with its five bounces", capped)
	}
	both := slices.Sorted(slices.Values(append(slices.Clone(blocked), capped...)))
	if diff := cmp.Diff(deferred, both); diff != "" || len(blocked) == 0 {
		t.Errorf("deferred stops (-) and new blocks (+):\n%s", diff)
	}
	for _, path := range wanted {
		if !slices.Contains(both, path) {
			t.Errorf("%s: its stop is deferred by the fixture, and no new block", path)
		}
	}
	if c.Base.Defer != len(both) || c.Head.Defer != 0 || c.Counts.Kinds[NewBlock] != len(blocked) || len(wanted) < 6 {
		t.Errorf("base defers %d, head %d, %+v, %d by the fixtures", c.Base.Defer, c.Head.Defer, c.Counts, len(wanted))
	}
	// Stops that are blocked under both: the deferral had taken the status evidence
	// off the list. There are no other changes.
	for _, change := range c.Changes {
		if change.Kind != NewBlock && change.Kind != LiftedDefer && (change.Base.Verdict != policy.VerdictBlock || len(change.Base.Deferrals) == 0 || len(change.Head.Deferrals) > 0) {
			t.Errorf("%s:%d: %s, and nothing was deferred there", change.Path, change.Line, change.Kind)
		}
	}
	if c.Counts.Same+c.Counts.Changed != c.Counts.Stops || c.Counts.Stops != r.Totals.Stops {
		t.Errorf("%+v do not add up to %d stops", c.Counts, r.Totals.Stops)
	}
}

// some are the sessions of a tree with handoffs and with chains of blocks.
func some(t *testing.T, x *tree) (paths []string) {
	t.Helper()
	for _, c := range stopCases(t, x) {
		if strings.HasPrefix(c.Name, "incident-") || strings.HasPrefix(c.Name, "e-block-new") {
			paths = append(paths, c.path)
		}
	}
	return paths
}

func TestDiff_ofOnePolicyIsEmpty(t *testing.T) {
	x := newTree(t)
	c, err := Diff(context.Background(), some(t, x), x.opts(), x.opts())
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Changes) != 0 || c.Counts.Changed != 0 || c.Counts.Same != c.Counts.Stops || c.Counts.Stops == 0 {
		t.Errorf("%d changes, %+v", len(c.Changes), c.Counts)
	}
	if diff := cmp.Diff(c.Base, c.Head); diff != "" {
		t.Errorf("base (-) and head (+):\n%s", diff)
	}
}

// Both sides read with their own windows.
func TestDiff_isTwoRuns(t *testing.T) {
	x := newTree(t)
	paths := some(t, x)
	base, head := x.opts(), muted(x.opts())
	head.Config.WindowBytes, head.Config.RemediationCap = policy.MinWindowBytes, 1
	c, err := Diff(context.Background(), paths, base, head)
	if err != nil {
		t.Fatal(err)
	}
	for _, side := range []struct {
		opts Options
		got  Totals
	}{{base, c.Base}, {head, c.Head}} {
		r, err := Run(context.Background(), paths, side.opts)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r.Totals, side.got); diff != "" {
			t.Errorf("alone (-) and in the comparison (+):\n%s", diff)
		}
	}
	if c.Counts.Kinds[LiftedBlock] == 0 {
		t.Errorf("%+v: a lower cap must lift blocks", c.Counts)
	}
}

func TestDiff_saysWhichSideFails(t *testing.T) {
	x := newTree(t)
	x.write(t, "a.jsonl", turnOf("done"))
	head := x.opts()
	head.Layers = []policy.Layer{broken()}
	_, err := Diff(context.Background(), []string{x.dir}, x.opts(), head)
	if errs, ok := errors.AsType[policy.PolicyErrors](err); !ok || len(errs) == 0 || err.Error()[:6] != "head: " {
		t.Errorf("got %v, want the faults of head", err)
	}
}

func TestKindOf(t *testing.T) {
	allow, block, later := Stop{Verdict: "allow", Code: "a"}, Stop{Verdict: "block", Code: "b", Reason: "r"}, Stop{Verdict: "defer", Code: "d"}
	other, words := allow, block
	other.Code, words.Reason = "x", "s"
	for _, tt := range []struct {
		base, head Stop
		want       Kind
	}{
		{allow, allow, ""}, {allow, block, NewBlock}, {later, block, NewBlock}, {block, allow, LiftedBlock}, {block, later, LiftedBlock},
		{allow, later, NewDefer}, {later, allow, LiftedDefer}, {allow, other, ChangedCode}, {block, words, ChangedReason},
	} {
		if got := kindOf(&tt.base, &tt.head); got != tt.want {
			t.Errorf("%s/%s to %s/%s: %q, want %q", tt.base.Verdict, tt.base.Code, tt.head.Verdict, tt.head.Code, got, tt.want)
		}
	}
}
