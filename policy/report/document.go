package report

import "time"

// DocumentSchema names the version of the document.
const DocumentSchema = "stophook.report/v1"

// Document is a session page as data (`stophook report --json`). All text is cut
// and safe to show: hidden characters are written out. Lists are never null.
type Document struct {
	Schema  string    `json:"schema"`
	Now     time.Time `json:"now,omitzero"`
	Session Session   `json:"session"`
	Counts  Counts    `json:"counts"`
	Events  []Event   `json:"events"` // in order of the file
	Limits  []string  `json:"limits"` // what is not shown or could not be rebuilt, in words
}

// Session names what the page is about.
type Session struct {
	ID         string    `json:"id"`
	File       string    `json:"file"` // base name
	Path       string    `json:"path"`
	Size       int64     `json:"size"` // bytes
	Lines      int       `json:"lines"`
	BadLines   int       `json:"bad_lines"`
	Version    string    `json:"version,omitempty"` // of the host
	Entrypoint string    `json:"entrypoint,omitempty"`
	Cwd        string    `json:"cwd,omitempty"`
	From       time.Time `json:"from,omitzero"`
	To         time.Time `json:"to,omitzero"`
	Evidence   string    `json:"evidence,omitempty"` // ledger, transcript or none
	Policy     string    `json:"policy,omitempty"`
}

// Host names what wrote the session: Claude Code writes the bare number of its version,
// others, such as agentcore, put their name before it.
func (s Session) Host() string {
	if s.Version != "" && s.Version[0] >= '0' && s.Version[0] <= '9' {
		return "Claude Code " + s.Version
	}
	return s.Version
}

// Counts are of the whole session, also of events that the page leaves out.
type Counts struct {
	Turns     int `json:"turns"`
	Prompts   int `json:"prompts"` // turns that a person began
	Calls     int `json:"calls"`
	Failed    int `json:"failed"`
	Replies   int `json:"replies"`
	Tasks     int `json:"tasks"`
	OpenTasks int `json:"open_tasks"` // no end in the transcript
	Handoffs  int `json:"handoffs"`
	Expired   int `json:"expired"` // handoffs that passed their limit
	Notices   int `json:"notices"`
	Marks     int `json:"marks"`
	Subagents int `json:"subagents"`
	Stops     int `json:"stops"`
	Allowed   int `json:"allowed"`
	Blocked   int `json:"blocked"`
	Deferred  int `json:"deferred"`
	Faults    int `json:"faults"` // stops that no policy could decide
}

// The kinds of events.
const (
	KindTurn     = "turn"
	KindCall     = "call"
	KindReply    = "reply"
	KindTask     = "task"
	KindHandoff  = "handoff"
	KindNotice   = "notice"
	KindMark     = "mark"
	KindSubagent = "subagent"
	KindStop     = "stop"
)

// Event is one thing that happened, at its row.
type Event struct {
	Ref     string    `json:"ref"` // L and the line, the fragment of links; L12-2 is the second event of line 12
	Kind    string    `json:"kind"`
	State   string    `json:"state"` // what its colour says: human, failed, open, closed, block, ...
	Line    int       `json:"line"`
	Offset  int64     `json:"offset"` // bytes
	Time    time.Time `json:"time,omitzero"`
	EndLine int       `json:"end_line,omitempty"`
	End     time.Time `json:"end,omitzero"`
	Open    bool      `json:"open,omitempty"` // it has no end in the transcript
	Limit   time.Time `json:"limit,omitzero"` // of a handoff
	Turn    int       `json:"turn"`           // from 1; 0 before the first
	Title   string    `json:"title"`
	Text    string    `json:"text"`
	Notes   []string  `json:"notes,omitempty"` // what else is known, in words
	Stop    *Stop     `json:"stop,omitempty"`

	rank int // order among events of one row
}

// Stop is a decision in words and in parts.
type Stop struct {
	Verdict        string     `json:"verdict"` // allow, block or defer
	Class          string     `json:"class"`   // the verdict, or fault when no policy could decide
	Code           string     `json:"code"`
	Words          []string   `json:"words"` // the decision explained, sentence by sentence
	Reason         string     `json:"reason,omitempty"`
	Demands        []Demand   `json:"demands"`
	Deferrals      []Deferral `json:"deferrals"`
	Blocks         int        `json:"blocks"` // in a row before this stop
	Recorded       string     `json:"recorded,omitempty"`
	RecordedReason string     `json:"recorded_reason,omitempty"`
	Differs        bool       `json:"differs,omitempty"` // the host recorded another answer
	SystemMessage  string     `json:"system_message,omitempty"`
}

// Demand is one thing that was missing.
type Demand struct {
	Rule     string     `json:"rule"`
	Code     string     `json:"code"`
	Text     string     `json:"text"`
	Severity string     `json:"severity"`
	Deferred bool       `json:"deferred"`
	Evidence []Evidence `json:"evidence,omitempty"`
}

// Evidence is a row that a demand points at. Ref is empty when the page does not
// show that row.
type Evidence struct {
	Offset int64  `json:"offset"`
	Ref    string `json:"ref,omitempty"`
}

// Deferral is why demands were put off.
type Deferral struct {
	Rule   string `json:"rule"`
	Code   string `json:"code"`
	TaskID string `json:"task_id"`
	Until  string `json:"until,omitempty"`
	Words  string `json:"words"`
}
