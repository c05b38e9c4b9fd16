package task

import "strings"

// Event is the end of a task as hosts are told of it, live and on replay alike (AC-81,
// AC-82).
type Event struct {
	TaskID     string `json:"taskId"`
	Status     string `json:"status"`
	ExitCode   *int   `json:"exitCode,omitempty"`
	Signal     string `json:"signal,omitempty"`
	Command    string `json:"command,omitempty"`
	OutputPath string `json:"outputPath,omitempty"`
	DurationMS int64  `json:"durationMs"`
	Summary    string `json:"summary"`
}

// EventOf is the event of an end. What XML forbids is replaced in it as it is in the
// block, so that the replay gives the same.
func EventOf(e Exit) Event {
	n, ok := Parse(e.Block())
	if !ok { // a task without an id
		return Event{Status: string(e.Status)}
	}
	e = *n.Exit
	return Event{TaskID: e.TaskID, Status: string(e.Status), ExitCode: e.ExitCode, Signal: e.Signal, Command: e.Command, OutputPath: e.OutputPath,
		DurationMS: e.Duration.Milliseconds(), Summary: e.Summary()}
}

// Turn is the beginning of one turn of a stored session.
type Turn struct {
	Delivered bool     // its row has the mark of a notification
	Marks     bool     // the session was written by a runtime that marks notifications
	Texts     []string // of the user's side
}

// EventsFromTurns rebuilds the events of a session from its turns (AC-80, AC-83). Turns
// with the mark give an event for each block. In a history without marks, which another
// program wrote, a turn whose first text begins with a block counts as well; such turns
// never latch anything (D-28).
func EventsFromTurns(turns []Turn) []Event {
	var events []Event
	for _, t := range turns {
		if !t.Delivered && (t.Marks || len(t.Texts) == 0 || !strings.HasPrefix(t.Texts[0], "<"+exitTag+">")) {
			continue
		}
		texts := t.Texts
		if !t.Delivered {
			texts = texts[:1]
		}
		for _, text := range texts {
			for _, n := range ParseAll(text) {
				if n.Exit != nil {
					events = append(events, EventOf(*n.Exit))
				}
			}
		}
	}
	return events
}
