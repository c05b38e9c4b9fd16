package policy

import (
	"slices"
	"time"

	"github.com/stophook/stophook/policy/evidence"
	"github.com/stophook/stophook/transcript"
)

// evidenceFacts is what the ledger proves about the present turn.
type evidenceFacts struct {
	check, stale *evidence.Event // at most one of the two
	box          *transcript.Box
	task, name   *evidence.Event
	endRequest   *evidence.Event
}

// proveTurn reads the ledger against the turn. A status check is evidence when
// it belongs to this turn and no other tool call ended behind it (PO-1); a box is
// evidence when the assistant's text shows it with that check's id.
func proveTurn(log evidence.Log, turn transcript.Turn, scope string) evidenceFacts {
	var f evidenceFacts
	since := turnStart(log, turn)
	if e, ok := log.Last(evidence.EndTurnChecked, since); ok && (!turn.Untimed || checkedInTurn(turn) != neverChecked) {
		if e.TS.Before(lastOtherCall(turn, e.TS)) || turn.Untimed && checkedInTurn(turn) == checkedBefore {
			f.stale = &e
		} else {
			f.check = &e
			f.box = boxOf(turn, e.CheckID)
		}
	}
	taskSince := time.Time{}
	if scope == TaskScopeTurn {
		taskSince = promptStart(log, turn)
	}
	f.task = last(log, evidence.TaskDeclared, taskSince)
	f.name = last(log, evidence.SessionNamed, time.Time{})
	if e := last(log, evidence.SessionEndRequested, time.Time{}); e != nil {
		if done := last(log, evidence.SessionEnded, e.TS); done == nil {
			f.endRequest = e
		}
	}
	return f
}

func last(log evidence.Log, kind evidence.Kind, since time.Time) *evidence.Event {
	if e, ok := log.Last(kind, since); ok {
		return &e
	}
	return nil
}

// turnStart is when the turn began: by its prompt's row, else (the window was
// cut) by the latest prompt that our own hook noted, else unknown, and then
// only the order against the tool calls counts.
func turnStart(log evidence.Log, turn transcript.Turn) time.Time {
	if at := turn.StartedAt.Time; !at.IsZero() {
		return at
	}
	if e := last(log, evidence.PromptSubmitted, time.Time{}); e != nil && (!turn.Complete || turn.Untimed) {
		return e.TS
	}
	return time.Time{}
}

// promptStart is the same for the latest human prompt.
func promptStart(log evidence.Log, turn transcript.Turn) time.Time {
	if !turn.PromptAt.IsZero() {
		return turn.PromptAt
	}
	return turnStart(log, turn)
}

// lastOtherCall is when the last tool call ended that the check at the given
// instant has to follow. Evidence commands do not count. When none of them made
// the check, a shell call that spans it did (a script that ends in the check),
// and does not count either.
func lastOtherCall(turn transcript.Turn, check time.Time) time.Time {
	spans := func(c transcript.ToolCall) bool {
		return c.Command != "" && !c.Background && !c.At.Time.After(check) && !ended(c).Before(check)
	}
	known := slices.ContainsFunc(turn.Tools, func(c transcript.ToolCall) bool { return c.Evidence == "status" && spans(c) })
	var latest time.Time
	for _, c := range turn.Tools {
		if c.Evidence != "" || !known && spans(c) {
			continue
		}
		if end := ended(c); end.After(latest) {
			latest = end
		}
	}
	return latest
}

// ended is the latest instant known of a call.
func ended(c transcript.ToolCall) time.Time {
	if c.ResultTime.After(c.At.Time) {
		return c.ResultTime
	}
	return c.At.Time
}

// What the order of a turn's calls tells of its status check, where rows have no times.
const (
	neverChecked  = iota // no call of the turn made one
	checkedBefore        // another call stands behind it
	checkedLast
)

func checkedInTurn(turn transcript.Turn) int {
	state := neverChecked
	for _, c := range turn.Tools {
		switch {
		case c.Evidence == "status":
			state = checkedLast
		case c.Evidence == "" && state == checkedLast:
			state = checkedBefore
		}
	}
	return state
}

func boxOf(turn transcript.Turn, checkID string) *transcript.Box {
	var found *transcript.Box
	for i, b := range turn.Boxes {
		if b.CheckID == checkID && checkID != "" {
			found = &turn.Boxes[i]
		}
	}
	return found
}
