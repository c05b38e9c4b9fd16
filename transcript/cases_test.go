package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stophook/stophook/fixtures"
)

// payload is what these tests need of a case's stdin; how odd payloads are read
// is not this package's matter.
type payload struct {
	SessionID            string  `json:"session_id"`
	TranscriptPath       string  `json:"transcript_path"`
	LastAssistantMessage *string `json:"last_assistant_message"`
}

func TestRead_FX1_TR4_captures(t *testing.T) {
	t.Parallel()
	runCases(t, fixtures.Load(t, fixtures.Captures))
}

func TestRead_FX1_TR4_cases(t *testing.T) {
	t.Parallel()
	runCases(t, fixtures.Load(t, fixtures.Cases))
}

func TestRead_FX1_FX3_transcript(t *testing.T) {
	t.Parallel()
	runCases(t, fixtures.Load(t, fixtures.Transcript))
}

func TestRead_FX1_TR1_TR2_generated(t *testing.T) {
	t.Parallel()
	runCases(t, fixtures.Generated(t))
}

func runCases(t *testing.T, cases []fixtures.Case) {
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			dir := c.Materialise(t)
			var in payload
			_ = json.Unmarshal(bytes.TrimLeft(dir.Stdin, "\ufeff"), &in) // some are broken on purpose
			if c.Want.Facts == nil {
				blindCase(t, c.Want, in)
				return
			}
			data, err := os.ReadFile(dir.Transcript)
			if errors.Is(err, os.ErrNotExist) {
				t.Fatalf("%s has facts and no transcript", c)
			} else if err != nil {
				t.Fatal(err)
			}
			o := Options{Now: c.Want.Now, SessionID: in.SessionID, LastAssistantMessage: in.LastAssistantMessage}
			s, err := Read(dir.Transcript, o)
			if err != nil {
				t.Fatal(err)
			}
			checkWant(t, "as the hook reads it", c.Want, s)
			otherWays(t, c.Want, data, o, s)
		})
	}
}

// blindCase reads what the payload names, which is not there.
func blindCase(t *testing.T, want fixtures.Want, in payload) {
	s, err := Read(in.TranscriptPath, Options{Now: want.Now, SessionID: in.SessionID})
	if err == nil {
		t.Error("reading nothing is an error for people to see")
	}
	if want.Blind != nil {
		if diff := cmp.Diff(want.Blind, s.Blind); diff != "" {
			t.Errorf("TR-12: %s\nblind (-want +got):\n%s", want.Reason, diff)
		}
	}
	if len(s.Blind) == 0 || len(s.Handoffs) > 0 {
		t.Errorf("TR-12: a blind session has a reason and no handoffs: %v, %v", s.Blind, s.Handoffs)
	}
}

func checkWant(t *testing.T, way string, want fixtures.Want, s *Session) {
	t.Helper()
	f := want.Facts
	got := fixtures.Facts{OpenHandoffs: fixtures.OpenHandoffs{AnyText: open(s, "any_text"), Ended: open(s, "ended")},
		HandoffsSeen: []string{}, Debt: slices.Sorted(slices.Values(s.Debt.Paired)), Entrances: map[string]string{},
		HostRegistryRunning: f.HostRegistryRunning}
	states := map[string]fixtures.HandoffState{}
	for _, h := range s.Handoffs {
		got.HandoffsSeen = append(got.HandoffsSeen, h.TaskID)
		states[h.TaskID] = fixtures.HandoffState{AnyText: string(h.State.AnyText), Ended: string(h.State.Ended)}
	}
	slices.Sort(got.HandoffsSeen)
	for _, x := range s.Tasks {
		if x.Entrance != "" {
			got.Entrances[x.ID] = string(x.Entrance)
		}
	}
	if diff := cmp.Diff(*f, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s: %s\nfacts (-want +got):\n%s", way, want.Reason, diff)
	}
	if want.DebtCalls != nil && s.Debt.Calls != *want.DebtCalls {
		t.Errorf("%s: %s\ndebt by calls: got %d, want %d", way, want.Reason, s.Debt.Calls, *want.DebtCalls)
	}
	if want.HandoffStates != nil {
		if diff := cmp.Diff(want.HandoffStates, states); diff != "" {
			t.Errorf("%s: %s\nstates (-want +got):\n%s", way, want.Reason, diff)
		}
	}
	if want.Blind != nil {
		if diff := cmp.Diff(want.Blind, s.Blind, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s\nblind (-want +got):\n%s", way, want.Reason, diff)
		}
	}
}

// otherWays reads the same bytes in ways that must not matter.
func otherWays(t *testing.T, want fixtures.Want, data []byte, o Options, s *Session) {
	size := int64(len(data))
	if size > 2<<20 {
		return // the generated ones are about the window itself
	}
	noID, checked, exact := o, o, o
	noID.SessionID, checked.Validate, exact.Window = "", true, max(1, size)
	ways := []struct {
		name string
		o    Options
		step int
	}{
		{"without the session id", noID, 1 << 30},
		{"with validation", checked, 1 << 30},
		{"through a window of the file's size", exact, 1 << 30},
		{"in reads of 7 bytes", o, 7},
		{"in reads of 4,099 bytes", o, 4099},
	}
	for _, w := range ways {
		got, err := ReadFrom(shortReader{data, func(int) int { return w.step }}, size, "transcript.jsonl", w.o)
		if err != nil {
			t.Errorf("%s: %v", w.name, err)
			continue
		}
		checkWant(t, w.name, want, got)
		if w.name == "without the session id" {
			continue
		}
		if diff := cmp.Diff(s, got, cmpopts.IgnoreFields(Session{}, "Path")); diff != "" {
			t.Errorf("%s the session differs:\n%s", w.name, diff)
		}
	}
}
