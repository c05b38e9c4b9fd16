package policy

import (
	"context"
	"testing"
	"time"

	"github.com/stophook/stophook/policy/evidence"
)

// twice is one host with two installations of the hook and one state between them.
type twice struct {
	settings, plugin *Gate
	now              time.Time
}

func newTwice(t *testing.T) *twice {
	tw := &twice{now: sec(5)}
	gate := func(source string) *Gate {
		g := newGate(t)
		g.Source, g.Now = source, func() time.Time { return tw.now }
		return g
	}
	tw.settings, tw.plugin = gate("settings"), gate("plugin")
	tw.plugin.Store = tw.settings.Store
	return tw
}

func (tw *twice) count(t *testing.T) int {
	t.Helper()
	s, err := tw.settings.Store.Session("s1")
	if err != nil {
		t.Fatal(err)
	}
	st, err := s.Load()
	if err != nil {
		t.Fatal(err)
	}
	return st.Remediation.Count
}

// The two processes of one stop overlap as they like: each reads before or after
// the other has written. Whatever the order, both give one answer, a block counts
// once, and the cap holds for as many stops as with one process.
func TestGate_PO11_OneStopOfTwoInstallationsCountsOnce(t *testing.T) {
	type step struct {
		gate  int // 0 settings, 1 plugin
		carry bool
	}
	for _, tt := range []struct {
		reason string
		steps  []step
	}{
		{"one after the other", []step{{0, false}, {0, true}, {1, false}, {1, true}}},
		{"the plugin first", []step{{1, false}, {1, true}, {0, false}, {0, true}}},
		{"both read before one writes", []step{{0, false}, {1, false}, {0, true}, {1, true}}},
		{"both read, the later one writes first", []step{{0, false}, {1, false}, {1, true}, {0, true}}},
	} {
		tw, path, ctx := newTwice(t), toolTurn(t), context.Background()
		limit := tw.settings.Config.RemediationCap
		for stop := 1; stop <= 2*(limit+1); stop++ {
			var outcomes [2]*Outcome
			for _, s := range tt.steps {
				g := []*Gate{tw.settings, tw.plugin}[s.gate]
				if !s.carry {
					outcomes[s.gate] = g.Evaluate(ctx, stopEvent(t, path))
				} else {
					g.Carry(ctx, outcomes[s.gate])
				}
			}
			round := (stop - 1) % (limit + 1) // the stop at the cap passes and the count begins anew
			want, count := VerdictBlock, round+1
			if round == limit {
				want, count = VerdictAllow, 0
			}
			for i, o := range outcomes {
				if o.Decision.Verdict != want || o.Blocks() != round {
					t.Fatalf("%s, stop %d, process %d: %s %s after %d blocks, want %s after %d", tt.reason, stop, i,
						o.Decision.Verdict, o.Decision.Code, o.Blocks(), want, round)
				}
			}
			if got := tw.count(t); got != count {
				t.Fatalf("%s, stop %d: counted %d, want %d", tt.reason, stop, got, count)
			}
		}
	}
}

// What is not one stop is counted as before.
func TestGate_D38_OtherStopsCountEach(t *testing.T) {
	for _, tt := range []struct {
		reason string
		change func(*twice)
		want   int
	}{
		{"two installations within the moment", func(*twice) {}, 1},
		{"the same installation", func(tw *twice) { tw.plugin.Source = "settings" }, 2},
		{"nobody says which installation it is", func(tw *twice) { tw.settings.Source, tw.plugin.Source = "", "" }, 2},
		{"later than a host starts two hooks of one stop", func(tw *twice) { tw.now = tw.now.Add(stopMoment) }, 2},
		{"a clock that was set back", func(tw *twice) { tw.now = tw.now.Add(-stopMoment) }, 2},
	} {
		tw, path, ctx := newTwice(t), toolTurn(t), context.Background()
		first := tw.settings
		if tt.change(tw); first.Source == "" {
			first = tw.settings
		}
		began := tw.now
		tw.now = sec(5)
		first.Carry(ctx, first.Evaluate(ctx, stopEvent(t, path)))
		tw.now = began
		tw.plugin.Carry(ctx, tw.plugin.Evaluate(ctx, stopEvent(t, path)))
		if got := tw.count(t); got != tt.want {
			t.Errorf("%s: counted %d, want %d", tt.reason, got, tt.want)
		}
	}
}

// Two installations can be set up differently. A stop that one of them holds is
// held, so the other one must not end the cycle, and a block is counted before it
// is given even when the other one has cleared the count.
func TestGate_D38_TwoInstallationsThatDisagree(t *testing.T) {
	lenient := Config{}
	for _, tt := range []struct {
		reason      string
		strictFirst bool
	}{{"the strict one first", true}, {"the lenient one first", false}} {
		tw, path, ctx := newTwice(t), toolTurn(t), context.Background()
		lenient = tw.plugin.Config
		lenient.Rules = map[string]RuleConfig{}
		for _, name := range []string{"status_check", "status_box", "task_declared", "session_named"} {
			lenient.Rules[name] = RuleConfig{Severity: SeverityOff}
		}
		tw.plugin.Config = lenient
		for stop := 1; stop <= 3; stop++ {
			order := []*Gate{tw.settings, tw.plugin}
			if !tt.strictFirst {
				order[0], order[1] = order[1], order[0]
			}
			for _, g := range order {
				g.Carry(ctx, g.Evaluate(ctx, stopEvent(t, path)))
			}
			if got := tw.count(t); got != stop {
				t.Fatalf("%s: after %d stops the count is %d", tt.reason, stop, got)
			}
		}
	}
}

func TestFacts_BeforeStopNeedsThisStop(t *testing.T) {
	f := &Facts{Now: sec(5), Source: "plugin", Event: stopEvent(t, "")}
	other := evidence.Stop{Key: "0", By: []string{"1"}, At: sec(5), Remediation: evidence.Remediation{Cycle: "u", Count: 4}}
	f.State = evidence.State{Remediation: evidence.Remediation{Cycle: "u", Count: 5}, Stop: other}
	if f.beforeStop(); f.State.Remediation.Count != 5 {
		t.Errorf("judged by the state before another stop: %d", f.State.Remediation.Count)
	}
	f.State.Stop.Key = shortHash(f.Event.Raw)
	if f.beforeStop(); f.State.Remediation.Count != 4 {
		t.Errorf("judged by the state after this stop: %d", f.State.Remediation.Count)
	}
}
