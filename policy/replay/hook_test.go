package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/stophook/stophook/fixtures"
	"github.com/stophook/stophook/internal/benchgen"
	"github.com/stophook/stophook/policy"
	"github.com/stophook/stophook/policy/evidence"
	"github.com/stophook/stophook/policy/hookio"
	"github.com/stophook/stophook/transcript"
)

// otherInputs are the stop cases whose last decision rests on something that no
// transcript holds, with what that is.
func otherInputs() map[string]string {
	return map[string]string{
		"policy-broken":                      "its policies do not load: a replay says so at once",
		"ritual-box-in-payload-only":         "the final row is not in the file yet: there is no stop to find",
		"ritual-subagent-stop":               "the event is another one, SubagentStop",
		"headless-debt":                      "the mode comes from the hook's environment, against the rows' entry point",
		"incident-shorter-limit":             "the hook's clock is minutes behind the final row",
		"incident-thirty-minutes-and-one-ms": "the hook's clock is half an hour behind the final row",
	}
}

// TestRun_decidesWhatTheStopCasesWant: the last stop of every stored Stop event gets
// the verdict and the code that its want.json says.
func TestRun_decidesWhatTheStopCasesWant(t *testing.T) {
	other := otherInputs()
	checked := 0
	for _, c := range stopCases(t, newTree(t)) {
		if c.Area != fixtures.Stop {
			continue
		}
		r, err := Run(context.Background(), []string{c.path}, c.opts)
		if c.Name == "policy-broken" {
			if errs, ok := errors.AsType[policy.PolicyErrors](err); !ok || len(errs) == 0 {
				t.Errorf("%s: got %v, want the faults of the policies", c.Name, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		if other[c.Name] != "" {
			continue
		}
		checked++
		if len(r.Sessions) != 1 || len(r.Sessions[0].Stops) == 0 {
			t.Errorf("%s: no stop", c.Name)
			continue
		}
		stops := r.Sessions[0].Stops
		if last := stops[len(stops)-1]; last.Verdict != c.Want.Verdict || last.Code != c.Want.Code {
			t.Errorf("%s: %s %s, want %s %s: %s", c.Name, last.Verdict, last.Code, c.Want.Verdict, c.Want.Code, c.Want.Reason)
		}
	}
	if checked < 40 {
		t.Errorf("%d cases checked: where are the others?", checked)
	}
}

// TestRun_isTheHook plays the hook itself at every stop of every stored Stop event:
// with the bytes that the file had, the ledger that existed, the clock of that
// moment, and the state on disk that its own answers left. The replay answers the
// same, word for word. At the last stop the hook gets the host's real payload.
func TestRun_isTheHook(t *testing.T) {
	compared, held := 0, 0
	for _, c := range stopCases(t, newTree(t)) {
		if c.Name == "policy-broken" {
			continue
		}
		r, err := Run(context.Background(), []string{c.path}, c.opts)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		stops, err := transcript.Stops(c.path)
		if err != nil {
			t.Fatal(err)
		}
		var got []Stop
		for _, s := range r.Sessions {
			got = append(got, s.Stops...)
		}
		if len(got) != len(stops) {
			t.Fatalf("%s: %d stops, want %d", c.Name, len(got), len(stops))
		}
		h := newHook(t, c)
		for i, s := range stops {
			want := h.stop(t, s, i == len(stops)-1)
			if want == nil {
				continue // the event was another one
			}
			compared++
			if want.Verdict == policy.VerdictBlock {
				held++
			}
			answer := Stop{Verdict: want.Verdict, Code: want.Code, Reason: want.Reason, Demands: want.Demands,
				Deferrals: want.Deferrals, SystemMessage: want.SystemMessage}
			if diff := cmp.Diff(answer, got[i], cmpopts.IgnoreFields(Stop{}, "Offset", "Line", "Time", "Blocks", "Recorded", "RecordedReason")); diff != "" {
				t.Errorf("%s, stop %d: hook (-) and replay (+):\n%s", c.Name, i+1, diff)
			}
		}
	}
	if compared < 250 || held < 100 {
		t.Errorf("%d stops compared, %d of them blocked: too few to prove anything", compared, held)
	}
}

// TestRun_isTheHook_long does the same with a session of many turns and background
// tasks that is larger than the window, under two windows.
func TestRun_isTheHook_long(t *testing.T) {
	x := newTree(t)
	dir, _, stops := corpus(t, 1, 10<<20, 200_000)
	path := filepath.Join(dir, "project0000", benchgen.SessionID+".jsonl")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	ledger := []byte(strings.ReplaceAll(caseEvents, "2026-10-05", "2026-01-05"))
	x.ledger(t, benchgen.SessionID, ledger)
	for _, window := range []int64{policy.DefaultConfig().WindowBytes, 2 << 20} {
		o := x.opts()
		o.Config.WindowBytes = window
		r, err := Run(context.Background(), []string{path}, o)
		if err != nil || r.Totals.Stops != stops || r.Totals.Defer == 0 || r.Totals.Block < stops/2 {
			t.Fatalf("%v, %+v, want %d stops", err, r.Totals, stops)
		}
		found, err := transcript.Stops(path)
		if err != nil {
			t.Fatal(err)
		}
		h := newHook(t, stopCase{id: benchgen.SessionID, data: data, ledger: ledger, opts: o})
		for i, s := range found {
			d, got := h.stop(t, s, false), r.Sessions[0].Stops[i]
			if d.Verdict != got.Verdict || d.Code != got.Code || d.Reason != got.Reason || !cmp.Equal(d.Demands, got.Demands) || !cmp.Equal(d.Deferrals, got.Deferrals) {
				t.Errorf("window %d, stop %d: the hook says %s %s, the replay %s %s", window, i+1, d.Verdict, d.Code, got.Verdict, got.Code)
			}
		}
	}
}

// hook is the real gate with everything on disk.
type hook struct {
	c     stopCase
	gate  *policy.Gate
	path  string
	size  int64 // of the transcript so far
	now   time.Time
	ended []evidence.Event
}

func newHook(t *testing.T, c stopCase) *hook {
	t.Helper()
	h := &hook{c: c, path: filepath.Join(t.TempDir(), "session.jsonl")}
	now := func() time.Time { return h.now }
	h.gate = &policy.Gate{Layers: c.opts.Layers, Config: c.opts.Config, Store: evidence.Store{Dir: t.TempDir(), Now: now}, Now: now,
		Mode: hookio.ModeUnknown, Command: "stophook"}
	return h
}

// stop plays one Stop event, nil when the stored event is none.
func (h *hook) stop(t *testing.T, s transcript.Stop, last bool) *policy.Decision {
	t.Helper()
	h.now = s.Time
	h.write(t, s.Offset)
	session, err := h.gate.Store.Session(h.c.id)
	if err != nil {
		t.Fatal(err)
	}
	h.ledger(t, session)
	raw, err := json.Marshal(map[string]any{"session_id": h.c.id, "transcript_path": h.path, "hook_event_name": "Stop",
		"stop_hook_active": s.Active, "last_assistant_message": s.FinalText})
	if last {
		raw, err = bytes.ReplaceAll(h.c.stdin, []byte(h.c.path), []byte(h.path)), nil
	}
	if err != nil {
		t.Fatal(err)
	}
	ev, err := hookio.Decode(raw, hookio.HostAuto)
	if err != nil {
		t.Fatal(err)
	}
	if ev.Name != hookio.Stop || ev.LastAssistantMessage != nil && *ev.LastAssistantMessage != s.FinalText {
		return nil
	}
	o := h.gate.Evaluate(context.Background(), ev)
	d := h.gate.Carry(context.Background(), o)
	log, err := session.Events()
	if err != nil || len(o.Problems) > 0 {
		t.Fatal(err, o.Problems)
	}
	h.ended = slices.DeleteFunc(log.Events, func(e evidence.Event) bool { return e.Kind != evidence.SessionEnded })
	return d
}

// write lets the transcript grow.
func (h *hook) write(t *testing.T, size int64) {
	t.Helper()
	f, err := os.OpenFile(h.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Write(h.c.data[h.size:size])
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	h.size = size
}

// ledger writes what the ledger held by now.
func (h *hook) ledger(t *testing.T, session *evidence.Session) {
	t.Helper()
	if err := os.MkdirAll(session.Path(), 0o700); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for line := range bytes.Lines(bytes.TrimLeft(h.c.ledger, "\ufeff")) {
		var e evidence.Event
		if e.UnmarshalJSON(line) == nil && !e.TS.After(h.now) {
			out.Write(line)
		}
	}
	for _, e := range h.ended {
		line, err := e.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		out.Write(append(line, '\n'))
	}
	if err := os.WriteFile(filepath.Join(session.Path(), "ledger.jsonl"), out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}
