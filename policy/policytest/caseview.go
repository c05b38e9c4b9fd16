package policytest

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"time"

	"github.com/stophook/stophook/policy"
	"github.com/stophook/stophook/policy/decisionlog"
	"github.com/stophook/stophook/transcript"
)

// shownCalls bounds TurnSeen.Calls: the latest are what a rule mostly looks at.
const shownCalls = 8

// A DemandSeen is a demand with the rows that it points at.
type DemandSeen struct {
	policy.Demand
	Rows []RowSeen `json:"rows"`
}

// A RowSeen is one row of the transcript, as a person finds it.
type RowSeen struct {
	Line   int       `json:"line"` // in transcript.jsonl, from 1; 0 when the offset is no row
	Offset int64     `json:"offset"`
	Time   time.Time `json:"time,omitzero"`
	Type   string    `json:"type"`
	Text   string    `json:"text"` // first words, secrets taken out
}

// A TurnSeen is what the rules could see of the turn, in short.
type TurnSeen struct {
	Origin      string    `json:"origin"`
	ToolCalls   int       `json:"tool_calls"`
	Blind       []string  `json:"blind"`
	BadLines    int       `json:"bad_lines"`
	Began       *RowSeen  `json:"began,omitempty"`
	Calls       []Seen    `json:"calls"` // the latest, oldest first
	Tasks       []Seen    `json:"tasks"`
	Handoffs    []Seen    `json:"handoffs"`
	Evidence    []string  `json:"evidence"` // keys of input.evidence that are there
	Blocks      int       `json:"blocks"`   // in a row before this one
	FinalText   string    `json:"final_text"`
	ToolCommand string    `json:"tool_command,omitempty"` // PreToolUse: what was about to run
	Now         time.Time `json:"now"`
}

// Seen is one tool call, task or handoff, with its line.
type Seen struct {
	Line  int    `json:"line"`
	What  string `json:"what"`  // the tool, or the task's id
	Text  string `json:"text"`  // its command or file
	State string `json:"state"` // failed, running, open, ...
}

// view is the evidence of a decision.
func (j *judge) view(c *Case, o *policy.Outcome) ([]DemandSeen, *TurnSeen) {
	s := o.Facts.Session
	rows := newRowFinder(s.Path)
	demands := make([]DemandSeen, 0, len(o.Decision.Demands))
	for _, d := range o.Decision.Demands {
		seen := DemandSeen{Demand: d, Rows: []RowSeen{}}
		for _, offset := range d.Evidence {
			seen.Rows = append(seen.Rows, rows.at(offset))
		}
		demands = append(demands, seen)
	}
	turn := &TurnSeen{Origin: s.Turn.Origin, ToolCalls: s.Turn.ToolCalls, Blind: slices.Clone(s.Blind), BadLines: s.BadLines,
		FinalText: decisionlog.Redact(s.Turn.FinalText), Now: c.Want.Now, Calls: []Seen{}, Tasks: []Seen{}, Handoffs: []Seen{},
		Evidence: []string{}}
	if s.Turn.StartedAt.UUID != "" {
		row := rows.at(s.Turn.StartedAt.Offset)
		turn.Began = &row
	}
	for _, call := range s.Turn.Tools[max(0, len(s.Turn.Tools)-shownCalls):] {
		turn.Calls = append(turn.Calls, Seen{Line: rows.line(call.At.Offset), What: call.Name,
			Text: decisionlog.Redact(call.Command + call.FilePath), State: callState(call)})
	}
	for _, t := range s.Tasks {
		turn.Tasks = append(turn.Tasks, Seen{Line: rows.line(t.OpenedAt.Offset), What: t.ID, Text: decisionlog.Redact(t.Command),
			State: string(t.Kind) + " " + string(t.State)})
	}
	for _, h := range s.Handoffs {
		turn.Handoffs = append(turn.Handoffs, Seen{Line: rows.line(h.OpenedAt.Offset), What: h.TaskID, Text: decisionlog.Redact(h.Command),
			State: string(h.State.AnyText)})
	}
	evidence, _ := o.Input["evidence"].(map[string]any)
	for _, key := range []string{"status_check", "stale_check", "status_box", "task_declared", "session_named", "session_end_requested"} {
		if _, ok := evidence[key]; ok {
			turn.Evidence = append(turn.Evidence, key)
		}
	}
	remediation, _ := o.Input["remediation"].(map[string]any)
	turn.Blocks, _ = remediation["count"].(int)
	if input, ok := o.Facts.Tool["input"].(map[string]any); ok {
		command, _ := input["command"].(string)
		turn.ToolCommand = decisionlog.Redact(command)
	}
	return demands, turn
}

func callState(c transcript.ToolCall) string {
	switch {
	case c.Failed:
		return "failed"
	case c.ResultTime.IsZero():
		return "no result"
	case c.Background:
		return "in the background"
	}
	return ""
}

// rowFinder finds rows of one transcript, and the lines they stand in.
type rowFinder struct {
	path string
	data []byte
}

// newRowFinder reads the file: a case's transcript is small enough to look at.
func newRowFinder(path string) *rowFinder {
	data, err := os.ReadFile(path)
	if err != nil {
		data = nil // the decision says that it could not be read
	}
	return &rowFinder{path: path, data: data}
}

// line gives the line that begins at offset; 0 when none does.
func (f *rowFinder) line(offset int64) int {
	if offset < 0 || offset >= int64(len(f.data)) || offset > 0 && f.data[offset-1] != '\n' {
		return 0
	}
	return 1 + bytes.Count(f.data[:offset], []byte("\n"))
}

func (f *rowFinder) at(offset int64) RowSeen {
	r := RowSeen{Line: f.line(offset), Offset: offset, Type: "unreadable", Text: "no row begins at this offset"}
	if r.Line == 0 {
		return r
	}
	list, err := transcript.Excerpts(f.path, []int64{offset})
	if err != nil || len(list) != 1 {
		r.Text = "the row cannot be read"
		return r
	}
	e := list[0]
	r.Time, r.Type, r.Text = e.Time, e.Type, decisionlog.Redact(e.Text)
	return r
}

// firstCaseError finds the first CaseError in an error, which may be joined.
func firstCaseError(err error) (*CaseError, bool) { return errors.AsType[*CaseError](err) }
