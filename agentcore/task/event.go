package task

// Event is the end of a task as hosts are told of it, live and on replay alike (AC-81,
// AC-82).
type Event struct {
	TaskID     string `json:"taskId"`
	Status     string `json:"status"` // exited, killed, lost
	ExitCode   *int   `json:"exitCode,omitempty"`
	Signal     string `json:"signal,omitempty"`
	Command    string `json:"command,omitempty"`
	OutputPath string `json:"outputPath,omitempty"`
	DurationMS int64  `json:"durationMs"`
	Summary    string `json:"summary"`
}

// EventOf is the event of an end. Text is replaced in it as it is in the block (D-26), so
// that a replay gives the same.
func EventOf(e Exit) Event {
	event := Event{
		TaskID:     clean(e.TaskID),
		Status:     clean(string(e.status())),
		Signal:     clean(e.Signal),
		Command:    clean(e.Command),
		OutputPath: clean(e.OutputPath),
		DurationMS: wholeMS(e.Duration),
		Summary:    e.Summary(),
	}
	if code, known := e.Code(); known {
		event.ExitCode = &code
	}
	return event
}

// Event is the event of a notice that tells an end; false for the others. The
// summary is the one in the block, where there is one.
func (n Notice) Event() (Event, bool) {
	if n.Exit == nil {
		return Event{}, false
	}
	event := EventOf(*n.Exit)
	if n.Summary != "" {
		event.Summary = n.Summary
	}
	return event, true
}
