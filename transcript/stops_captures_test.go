package transcript

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stophook/stophook/fixtures"
)

// recorded is one Stop of a real session: the payload that the host sent, and the
// transcript as it was at that moment.
type recorded struct {
	name    string
	now     time.Time
	data    []byte
	payload struct {
		SessionID   string  `json:"session_id"`
		PromptID    string  `json:"prompt_id"`
		Active      bool    `json:"stop_hook_active"`
		LastMessage *string `json:"last_assistant_message"`
	}
}

// sessionsOf groups the captures by session, each in the order of its stops. A
// scenario that clears or forks has two sessions with a file each; one that is
// killed and resumed goes on in the same file.
func sessionsOf(t *testing.T) map[string][]recorded {
	t.Helper()
	sessions := map[string][]recorded{}
	for _, c := range fixtures.Load(t, fixtures.Captures) {
		r := recorded{name: c.Name, now: c.Want.Now, data: c.Read(t, fixtures.TranscriptFile)}
		if err := json.Unmarshal(c.Read(t, fixtures.StdinFile), &r.payload); err != nil {
			t.Fatal(err)
		}
		scenario, _, _ := strings.Cut(c.Name, "-stop")
		key := scenario + " " + r.payload.SessionID
		sessions[key] = append(sessions[key], r)
	}
	return sessions
}

// TestStops_captures is the oracle of [Stops]: what the real client did. Over the
// last recording of a session, every Stop event of that session is found, with the
// size that the file had then, and nothing else is.
func TestStops_captures(t *testing.T) {
	late, exact, events := 0, 0, 0
	sessions := sessionsOf(t)
	for _, key := range slices.Sorted(maps.Keys(sessions)) {
		events += len(sessions[key])
		t.Run(key, func(t *testing.T) {
			session := sessions[key]
			last := session[len(session)-1]
			path := filepath.Join(t.TempDir(), "transcript.jsonl")
			if err := os.WriteFile(path, last.data, 0o600); err != nil {
				t.Fatal(err)
			}
			stops, err := Stops(path)
			if err != nil {
				t.Fatal(err)
			}
			if lateText(last) { // the row that ends it is not in this recording
				session = session[:len(session)-1]
				late++
			}
			if len(stops) != len(session) {
				t.Fatalf("%d stops, the host had %d: %+v", len(stops), len(session), stops)
			}
			for i, r := range session {
				if !bytes.HasPrefix(last.data, r.data) {
					t.Fatalf("%s is no prefix of %s: they are not of one file", r.name, last.name)
				}
				if checkRecorded(t, r, stops[i], session[i+1:]) {
					late++
				} else {
					exact++
				}
			}
		})
	}
	if events != 89 || exact+late != events || late != 6 {
		t.Errorf("%d of %d stops at the exact size and %d with the text written later; the recordings have 89, 6 of them late", exact, events, late)
	}
}

// lateText tells a recording of the TUI in which the final text was not written
// yet when the hook ran (claude-code section 5).
func lateText(r recorded) bool {
	return r.payload.LastMessage != nil && !bytes.Contains(r.data, []byte(`"text":"`+*r.payload.LastMessage+`"`))
}

// checkRecorded compares one stop with the event that the host sent; later are the
// events behind it. It tells whether the final text came late.
func checkRecorded(t *testing.T, r recorded, s Stop, later []recorded) (late bool) {
	t.Helper()
	size := int64(len(r.data))
	switch {
	case s.Offset == size:
	case s.FinalAt == size && lateText(r):
		late = true
	default:
		t.Errorf("%s: stop at %d (final message from %d), the file had %d bytes", r.name, s.Offset, s.FinalAt, size)
	}
	if want := *r.payload.LastMessage; s.FinalText != want {
		t.Errorf("%s: final text %q, the host sent %q", r.name, s.FinalText, want)
	}
	if s.Active != r.payload.Active || s.PromptID != r.payload.PromptID || s.SessionID != r.payload.SessionID {
		t.Errorf("%s: active %v, prompt %s, session %s; the host sent %+v", r.name, s.Active, s.PromptID, s.SessionID, r.payload)
	}
	// The recordings' clock is a second behind the last row.
	if at := s.Time.Add(time.Second); !late && !at.Equal(r.now) {
		t.Errorf("%s: time %v, want a second before %v", r.name, s.Time, r.now)
	}
	if line := bytes.Count(r.data[:min(s.Offset, size)], []byte("\n")); !late && s.Line != line {
		t.Errorf("%s: line %d, want %d", r.name, s.Line, line)
	}
	switch {
	case len(later) == 0: // its answer is not in this recording
	case later[0].payload.Active && (s.Answer != StopBlocked || s.Reason == ""):
		t.Errorf("%s: answer %q (%q), and the host went on with stop_hook_active", r.name, s.Answer, s.Reason)
	case !later[0].payload.Active && s.Answer != StopPassed:
		t.Errorf("%s: answer %q, and the host took a new prompt", r.name, s.Answer)
	}
	return late
}

// A fork copies rows with their times, and they carry the fork's session id; but it
// writes a row of its own first.
func TestStops_forkedRowsAreCounted(t *testing.T) {
	for _, c := range fixtures.Load(t, fixtures.Captures) {
		c.Claim()
		if c.Name != "c-fork-stop03" {
			continue
		}
		data := c.Read(t, fixtures.TranscriptFile)
		seen, err := Walk(context.Background(), bytes.NewReader(data), int64(len(data)), "t.jsonl", WalkOptions{},
			func(*Stop, *Moment) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		if seen.Copied != 2 {
			t.Errorf("%d stops were copied, want the two of the session that was forked", seen.Copied)
		}
	}
}

func ExampleStops() {
	stops, err := Stops("../fixtures/captures/e-exit2-once-stop02/transcript.jsonl")
	if err != nil {
		panic(err)
	}
	for _, s := range stops {
		fmt.Printf("line %d, %d bytes: %q active=%v %s\n", s.Line, s.Offset, s.FinalText, s.Active, s.Answer)
	}
	// Output:
	// line 4, 1001 bytes: "First answer FINAL-1." active=false blocked
	// line 7, 2267 bytes: "Another answer FINAL-k." active=true
}
