package transcript

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// The defaults of [HistoryOptions].
const (
	DefaultHistoryExcerpt = 400
	DefaultHistoryEvents  = 50_000
)

// HistoryOptions bound what a [History] keeps. The zero value is usable.
type HistoryOptions struct {
	// SessionID is the session asked about, as in [Options]; empty: the file tells.
	SessionID string
	// Excerpt is how many bytes of a prompt, a command or an answer are kept;
	// default 400. What was cut ends in an ellipsis.
	Excerpt int
	// Events is how many tool calls and how many replies are kept, each; default
	// 50,000. The rest is counted in History.Omitted.
	Events int
}

func (o HistoryOptions) withDefaults() HistoryOptions {
	if o.Excerpt <= 0 {
		o.Excerpt = DefaultHistoryExcerpt
	}
	if o.Events <= 0 {
		o.Events = DefaultHistoryEvents
	}
	return o
}

// At is where and when something stands in the file. Line counts from 1. Time is
// zero when the row has no readable timestamp.
type At struct {
	Line   int       `json:"line"`
	Offset int64     `json:"offset"`
	Time   time.Time `json:"time,omitzero"`
}

// History is what a whole transcript tells, from its first row to its last: what
// a timeline needs. Lists are in order of the file and never nil. It is a plain
// value: safe to share once returned.
type History struct {
	Path       string    `json:"path"`
	Size       int64     `json:"size"`  // bytes
	Lines      int       `json:"lines"` // all lines, request copies and broken ones included
	Rows       int       `json:"rows"`
	BadLines   int       `json:"bad_lines"`
	SessionID  string    `json:"session_id"`
	Version    string    `json:"version,omitempty"` // of the host, from its newest row
	Entrypoint string    `json:"entrypoint,omitempty"`
	Cwd        string    `json:"cwd,omitempty"`
	From       time.Time `json:"from,omitzero"` // the earliest and the latest instant of any row kept
	To         time.Time `json:"to,omitzero"`

	Turns     []HistoryTurn     `json:"turns"`
	Calls     []HistoryCall     `json:"calls"`
	Replies   []HistoryText     `json:"replies"` // text of the main agent
	Tasks     []HistoryTask     `json:"tasks"`
	Handoffs  []HistoryHandoff  `json:"handoffs"`
	Notices   []HistoryNotice   `json:"notices"`
	Marks     []HistoryMark     `json:"marks"`
	Subagents []HistorySubagent `json:"subagents"`
	Omitted   map[string]int    `json:"omitted,omitempty"` // calls, replies: counted and not kept
	Blind     []string          `json:"blind"`             // as in Session
	ToolTotal int               `json:"tool_total"`        // all calls, also those not kept
	failed    int
}

// HistoryTurn is one turn: from a prompt, or a notice that began it, to the last
// row before the next.
type HistoryTurn struct {
	At
	End    At     `json:"end"`
	Origin string `json:"origin"` // human, notification, unknown, or the host's origin kind
	Text   string `json:"text"`   // the prompt, cut
	UUID   string `json:"uuid,omitempty"`
	Copied bool   `json:"copied,omitempty"` // of another session: a fork copied the row
	Calls  int    `json:"calls"`            // tool calls of the main agent
}

// HistoryCall is one tool use and its answer.
type HistoryCall struct {
	At
	Answer     At     `json:"answer,omitzero"` // line 0 while there is none
	ID         string `json:"id"`
	Name       string `json:"name"`
	Text       string `json:"text"` // the command, the file, or the input as JSON; cut
	Failed     bool   `json:"failed,omitempty"`
	Error      string `json:"error,omitempty"` // what the failed call said, cut
	Background bool   `json:"background,omitempty"`
	Evidence   string `json:"evidence,omitempty"` // as in ToolCall
	Turn       int    `json:"turn"`               // index into Turns
}

// HistoryText is something the agent wrote.
type HistoryText struct {
	At
	Text string `json:"text"`
	Turn int    `json:"turn"`
}

// HistoryTask is a task with its place in the file. Opened and Ended are the
// positions of Task with their lines; Ended has line 0 while it runs.
type HistoryTask struct {
	Task
	Opened At `json:"opened"`
	Ended  At `json:"ended,omitzero"`
}

// HistoryHandoff is a handoff over its whole life. What a gate would say of it at
// one instant is [Handoff]; this says when that changed.
type HistoryHandoff struct {
	TaskID  string    `json:"task_id"`
	Command string    `json:"command,omitempty"`
	Opened  At        `json:"opened"`
	Limit   time.Time `json:"limit,omitzero"` // until when it may defer; zero: its receipt has no time, so never
	State   string    `json:"state"`          // open, closed or expired when the transcript ends, closed by any text
	Closed  At        `json:"closed,omitzero"`
	Closer  *Closer   `json:"closer,omitempty"`   // of mode any_text
	EndedBy *Closer   `json:"ended_by,omitempty"` // of mode ended
	// Expired tells that the limit passed before anything closed it.
	Expired bool `json:"expired,omitempty"`
}

// HistoryNotice is one notification that the host carried.
type HistoryNotice struct {
	At
	Carrier string   `json:"carrier"` // as in Closer
	TaskIDs []string `json:"task_ids"`
	Status  string   `json:"status,omitempty"`
	End     bool     `json:"end"` // the status is an end
	Text    string   `json:"text"`
	// Starts tells that this row began a turn.
	Starts bool `json:"starts,omitempty"`
}

// The kinds of a [HistoryMark].
const (
	MarkCompaction = "compaction"
	MarkAPIError   = "api_error"
	MarkInterrupt  = "interrupt"
	MarkFeedback   = "stop_feedback" // a Stop hook's reason, handed to the agent
	MarkStopHook   = "stop_hook"     // the host's summary of its Stop hooks
)

// HistoryMark is a point that changes how the rest is read.
type HistoryMark struct {
	At
	Kind string `json:"kind"`
	Text string `json:"text"`
}

// HistorySubagent is what the rows of one subagent span in this file.
type HistorySubagent struct {
	At
	End   At     `json:"end"`
	ID    string `json:"id"`
	Rows  int    `json:"rows"`
	Calls int    `json:"calls"`
}

// ReadHistory reads the whole transcript at path, of any size, in one pass over
// its rows and one over its newlines. Request copies are skipped without being
// decoded. Memory is bounded by the options, by 24 bytes a row (at most 2 million
// rows; beyond them the oldest half is forgotten and Blind says so), and by one
// row at a time; rows above 16 MiB are not looked into.
//
// Tasks and handoffs are those of [Read]. Like there, content never fails it:
// only a file that cannot be read is an error.
func ReadHistory(path string, opts HistoryOptions) (*History, error) {
	opts = opts.withDefaults()
	f, size, _, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	w := &window{r: f, size: size, index: index{limit: maxHistoryRows}}
	_, _, err = w.scan(f, make([]byte, min(max(size, 1), historyBuffer)), segment{stop: size}, size)
	if err != nil {
		return nil, fmt.Errorf("transcript: %s: %w", path, err)
	}
	s := &Session{}
	d := fold{window: w, opts: Options{}.withDefaults(), uuids: map[string]bool{}, names: map[string]string{}}
	latest := d.latest(s)
	h := &History{Path: path, Size: size, Version: s.Version, Entrypoint: s.Entrypoint, Blind: []string{},
		SessionID: cmp.Or(opts.SessionID, fileSession(path), latest)}
	d.owner = newOwnership(opts.SessionID, path, latest)
	d.receipts()
	d.endings()
	b := &historian{fold: &d, opts: opts, out: h, calls: map[string]int{}, agents: map[string]int{}}
	b.walk()
	b.tasks()
	b.handoffs()
	h.Rows, h.BadLines = w.rows, w.bad
	if w.dropped {
		h.Blind = append(h.Blind, BlindTooManyRows)
	}
	if w.rows > 0 && !w.known {
		h.Blind = append(h.Blind, BlindUnknownShape)
	}
	if err := b.number(f); err != nil {
		return nil, fmt.Errorf("transcript: %s: %w", path, err)
	}
	return h, nil
}

const (
	maxHistoryRows = 2 << 20
	maxHistoryRow  = 16 << 20
	historyBuffer  = 1 << 20
)

// FailedCalls counts the calls whose answer was an error.
func (h *History) FailedCalls() int { return h.failed }

// excerpt cuts text for a person. Bytes that are no UTF-8 become the replacement
// character, so that what is kept is text whatever was read.
func excerpt(s string, n int) string {
	s = strings.TrimSpace(s)
	short := cut(s, n)
	if len(short) < len(s) {
		short = strings.TrimRight(short, " \t\r\n") + "…"
	}
	return strings.Clone(strings.ToValidUTF8(short, "\uFFFD"))
}
