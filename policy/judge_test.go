package policy

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/fixtures"
	"github.com/stophook/stophook/policy/evidence"
	"github.com/stophook/stophook/policy/hookio"
	"github.com/stophook/stophook/transcript"
)

// TestJudge_decidesAsTheGate: for every stored Stop event one prepared engine, asked
// by several goroutines, gives the input and the decision that the gate gives.
func TestJudge_decidesAsTheGate(t *testing.T) {
	cases := append(fixtures.Load(t, fixtures.Stop), fixtures.Load(t, fixtures.Captures)...)
	gate := &Gate{Config: DefaultConfig(), Store: evidence.Store{Dir: t.TempDir()}, Command: "stophook", Mode: "unknown"}
	judge := gate.Judge(context.Background())
	if judge.Err() != nil || len(judge.Rules()) == 0 {
		t.Fatalf("%d rules, %v", len(judge.Rules()), judge.Err())
	}
	type answer struct {
		m    Moment
		want *Outcome
	}
	var answers []answer
	for _, c := range cases {
		d := c.Materialise(t)
		ev, err := hookio.Decode(d.Stdin, hookio.HostAuto)
		if err != nil {
			t.Fatal(err)
		}
		if ev.Name != hookio.Stop {
			continue
		}
		one := *gate
		one.Now = func() time.Time { return c.Want.Now }
		if d.Ledger != "" {
			putLedger(t, gate.Store, ev.SessionID, c.Read(t, fixtures.LedgerFile))
		}
		m := Moment{Event: ev, Now: c.Want.Now, State: evidence.State{V: 1}}
		m.Session, m.SessionErr = transcript.Read(d.Transcript, judge.SessionOptions(ev, c.Want.Now))
		session, err := gate.Store.Session(ev.SessionID)
		if err != nil {
			t.Fatal(err)
		}
		if m.Ledger, err = session.Events(); err != nil {
			t.Fatal(err)
		}
		answers = append(answers, answer{m, one.Evaluate(context.Background(), ev)})
	}
	if len(answers) < 100 {
		t.Fatalf("%d events: where are the others?", len(answers))
	}
	var all sync.WaitGroup
	for _, a := range answers {
		all.Go(func() {
			got := judge.Decide(context.Background(), a.m)
			if diff := cmp.Diff(a.want.Input, got.Input); diff != "" {
				t.Errorf("input of gate (-) and judge (+):\n%s", diff)
			}
			if diff := cmp.Diff(a.want.Decision, got.Decision); diff != "" {
				t.Errorf("decision of gate (-) and judge (+):\n%s", diff)
			}
		})
	}
	all.Wait()
}

func putLedger(t *testing.T, store evidence.Store, id string, data []byte) {
	t.Helper()
	session, err := store.Session(id)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(session.Path(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(session.Path(), "ledger.jsonl"), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestJudge_D38_countsAsTheGate plays ten stops of one prompt: the state in memory
// is the state on disk after each of them, over the cap and back.
func TestJudge_D38_countsAsTheGate(t *testing.T) {
	g := newGate(t)
	ev := stopEvent(t, toolTurn(t))
	judge := g.Judge(context.Background())
	var st evidence.State
	for i := range 10 {
		o := g.Evaluate(context.Background(), ev)
		want := g.Carry(context.Background(), o)
		m := Moment{Event: ev, Now: g.Now(), Session: o.Facts.Session, State: st}
		mine := judge.Decide(context.Background(), m)
		var log evidence.Log
		got := mine.CarryInto(&st, &log)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("stop %d: gate (-) and judge (+):\n%s", i+1, diff)
		}
		if mine.Blocks() != o.Blocks() {
			t.Errorf("stop %d: %d blocks before, the gate had %d", i+1, mine.Blocks(), o.Blocks())
		}
		session, err := g.Store.Session("s1")
		if err != nil {
			t.Fatal(err)
		}
		disk, err := session.Load()
		if err != nil || disk.Remediation != st.Remediation || disk.Nudged != st.Nudged {
			t.Fatalf("stop %d: on disk %+v, in memory %+v, %v", i+1, disk, st, err)
		}
	}
}

// A session end that was asked for is written by the stop that passes, once.
func TestJudge_endsTheSession(t *testing.T) {
	o := &Outcome{Facts: &Facts{Now: sec(9), Event: &hookio.Event{Name: hookio.Stop}},
		Decision: &Decision{Effects: Effects{Remediation: RemediationClear, ReconcileSessionEnd: true}}}
	st, log := evidence.State{Remediation: evidence.Remediation{Cycle: "c", Count: 2}}, evidence.Log{}
	o.CarryInto(&st, &log)
	if st.Remediation.Count != 0 || len(log.Events) != 1 || log.Events[0].Kind != evidence.SessionEnded || !log.Events[0].TS.Equal(sec(9)) {
		t.Errorf("state %+v, ledger %+v", st, log)
	}
	o.Facts.Shadow = true
	if o.CarryInto(&st, &log); len(log.Events) != 1 {
		t.Error("a shadow carries out nothing")
	}
}

func TestJudge_brokenPolicies(t *testing.T) {
	g := newGate(t)
	g.Layers = []Layer{{Name: "project", FS: explosive{}}}
	judge := g.Judge(context.Background())
	if judge.Err() == nil || judge.Rules() != nil {
		t.Fatalf("%v, %d rules", judge.Err(), len(judge.Rules()))
	}
	ev := stopEvent(t, toolTurn(t))
	o := judge.Decide(context.Background(), g.read(ev, g.Now()))
	want := g.Evaluate(context.Background(), ev)
	if diff := cmp.Diff(want.Decision, o.Decision); diff != "" || o.Decision.Code != "stop-hook.policy_error" {
		t.Errorf("gate (-) and judge (+):\n%s", diff)
	}
	if _, err := json.Marshal(o.Input); err != nil {
		t.Error(err)
	}
}
