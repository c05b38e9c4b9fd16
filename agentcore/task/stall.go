package task

import (
	"time"

	"github.com/stophook/stophook/execctx"
)

// Stall is a task that still runs and has printed nothing for a while (AC-73). It
// is no exit: it latches nothing and ends nothing (AC-74, D-27).
type Stall struct {
	TaskID       string        `json:"taskId"`
	HandleID     string        `json:"handleId,omitempty"` // not part of the text
	Command      string        `json:"command,omitempty"`
	OutputPath   string        `json:"outputPath,omitempty"`
	StalledFor   time.Duration `json:"stalledForNs"` // since the last output, or the start (D-16)
	BytesWritten int64         `json:"bytesWritten"` // produced so far
}

// FromStall takes over what a context reports. How much the task wrote is not in
// the report; the list of the context has it.
func FromStall(h execctx.Handle, s execctx.StallInfo) Stall {
	return Stall{
		TaskID:     s.TaskID,
		HandleID:   h.ID,
		Command:    s.Command,
		OutputPath: s.OutputPath,
		StalledFor: milliseconds(s.StalledForMS),
	}
}

// stallHint is what the model is told to do about it.
const stallHint = "The task is still running but has produced no output for the reported window. " +
	"Read the end of the output file: if the command waits for input, kill the task and run it again " +
	"with the input piped in or with a flag that asks nothing; if it is only slow, leave it alone."

// Block is the text that tells the model of the silence (AC-73):
//
//	<task-stall>
//	<task-id>bash_1</task-id>
//	<command>npm run dev</command>
//	<output-file>/…/tasks/bash_1.20260523-024147-123.log</output-file>
//	<stalled-for-ms>45000</stalled-for-ms>
//	<bytes-written>128</bytes-written>
//	<hint>…</hint>
//	</task-stall>
func (s Stall) Block() string {
	w := openBlock(stallTag)
	w.token("task-id", s.TaskID)
	w.text("command", s.Command)
	w.text("output-file", s.OutputPath)
	w.number("stalled-for-ms", wholeMS(s.StalledFor))
	w.number("bytes-written", max(s.BytesWritten, 0))
	w.text("hint", stallHint)
	return w.close(stallTag)
}

// of tells whether the stall is about the task that ended: ids begin anew in
// every context, so the file, or without one the owner, has to be the same.
func (s Stall) of(e Exit) bool {
	if clean(s.TaskID) != clean(e.TaskID) {
		return false
	}
	if s.OutputPath != "" || e.OutputPath != "" {
		return clean(s.OutputPath) == clean(e.OutputPath)
	}
	return clean(s.HandleID) == clean(e.HandleID)
}

// sameTask is of, for two stalls.
func (s Stall) sameTask(o Stall) bool {
	return s.of(Exit{TaskID: o.TaskID, HandleID: o.HandleID, OutputPath: o.OutputPath})
}
