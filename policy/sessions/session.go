package sessions

import "time"

// Schema names the form of [Report].
const Schema = "stophook.sessions/v1"

// Report is all sessions that were asked for, the latest first.
type Report struct {
	Schema   string    `json:"schema"`
	StateDir string    `json:"state_dir"`
	Sessions []Session `json:"sessions"`
	Found    int       `json:"found"`     // before [Options.Last] cut the list
	BadLines int       `json:"bad_lines"` // lines of the decision log that could not be read
}

// Transcript says whether a session's background work could be looked at.
type Transcript string

// What became of reading a transcript.
const (
	TranscriptRead    Transcript = "read"
	TranscriptMissing Transcript = "missing" // it was there at the last stop
	TranscriptUnread  Transcript = "unread"  // it is there and tells nothing; see the notes
	TranscriptUnknown Transcript = "unknown" // nothing names it
)

// Session is one session as it stands. Times are zero when they are unknown.
type Session struct {
	ID      string    `json:"id"` // empty when only a folder is left that does not tell it
	Folder  string    `json:"folder,omitempty"`
	Name    string    `json:"name,omitempty"`
	Task    string    `json:"task,omitempty"`
	Project string    `json:"project,omitempty"` // the working folder at the last event
	Started time.Time `json:"started,omitzero"`
	Active  time.Time `json:"active,omitzero"` // the last sign of life
	Ended   bool      `json:"ended"`           // its end was asked for and a stop passed

	Verdict   string    `json:"verdict,omitempty"` // of the last stop
	Code      string    `json:"code,omitempty"`
	VerdictAt time.Time `json:"verdict_at,omitzero"`
	Shadow    bool      `json:"shadow"` // the verdict was not carried out
	Blocks    int       `json:"blocks"` // in a row, in the present cycle

	TranscriptPath string     `json:"transcript_path,omitempty"`
	Transcript     Transcript `json:"transcript"`
	Handoffs       []Handoff  `json:"handoffs"` // open ones, as of now
	Debt           []string   `json:"debt"`     // tasks that the agent launched and never collected
	Notes          []string   `json:"notes"`    // what could not be read
}

// Handoff is a command that the host moved to the background and that still counts
// as running.
type Handoff struct {
	TaskID  string    `json:"task_id"`
	Command string    `json:"command,omitempty"`
	Expires time.Time `json:"expires,omitzero"`
}
