package replay

import (
	"time"

	"github.com/stophook/stophook/policy"
)

// Schema names the form of [Result].
const Schema = "stophook.replay/v1"

// Result is what a policy would have done to recorded sessions. Lists are never
// nil and are sorted; the same files, policy and store give the same result.
type Result struct {
	Schema   string    `json:"schema"`
	Sessions []Session `json:"sessions"` // with a stop, or with an error; by path
	Totals   Totals    `json:"totals"`
	// Limits says in words what could not be rebuilt.
	Limits []string `json:"limits"`
}

// Where the evidence of a session came from.
const (
	EvidenceLedger     = "ledger"     // what the evidence commands wrote
	EvidenceTranscript = "transcript" // evidence commands that the transcript shows to have worked
	EvidenceNone       = "none"
)

// Session is one transcript.
type Session struct {
	Path     string   `json:"path"`
	ID       string   `json:"id"`
	Size     int64    `json:"size"` // bytes
	Stops    []Stop   `json:"stops"`
	Evidence string   `json:"evidence"`
	Notes    []string `json:"notes"`
	Error    string   `json:"error,omitempty"` // why it, or the rest of it, could not be read
}

// Stop is one point at which the agent stopped, and the answer that it would have
// got.
type Stop struct {
	Offset        int64             `json:"offset"` // bytes that the file had
	Line          int               `json:"line"`   // of the final row, from 1
	Time          time.Time         `json:"time,omitzero"`
	Verdict       string            `json:"verdict"` // allow, block or defer
	Code          string            `json:"code"`
	Reason        string            `json:"reason"`
	Demands       []policy.Demand   `json:"demands"`
	Deferrals     []policy.Deferral `json:"deferrals"`
	SystemMessage string            `json:"system_message,omitempty"`
	// Blocks is how often the agent had been sent back before this stop, in this
	// cycle and by this policy.
	Blocks int `json:"blocks"`
	// Recorded is what the host recorded of the hooks that it ran then: passed,
	// blocked, or empty when it left no trace.
	Recorded       string `json:"recorded,omitempty"`
	RecordedReason string `json:"recorded_reason,omitempty"`
}

// agrees compares the answer with the recorded one; known is false without one.
func (s *Stop) agrees() (same, known bool) {
	return (s.Recorded == "blocked") == (s.Verdict == policy.VerdictBlock), s.Recorded != ""
}
