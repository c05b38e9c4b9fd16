package replay

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/stophook/stophook/policy/evidence"
	"github.com/stophook/stophook/transcript"
)

// ledger is the evidence of one session, to be asked in the order of its stops.
type ledger struct {
	source string
	events []evidence.Event // of the store's ledger, without what a Stop hook wrote
	log    evidence.Log     // as the file is
	err    error
	shown  []evidence.Event // of the transcript, so far
	taken  int              // calls of the transcript that are among shown
}

// openLedger reads the ledger of a session once; it is small and a replay asks for
// it at every stop. beside is the one of a case, for a session that the store does
// not know; empty when there is none.
func openLedger(store evidence.Store, id, beside string) *ledger {
	l := &ledger{source: EvidenceNone}
	if store.Dir != "" && id != "" {
		session, err := store.Session(id)
		if err == nil {
			l.log, err = session.Events()
		}
		l.err = err
	}
	if beside != "" && l.err == nil && l.log.Size == 0 {
		l.log, l.err = readLedger(beside)
	}
	if l.err == nil && l.log.Size == 0 {
		return l
	}
	l.source = EvidenceLedger
	for _, e := range l.log.Events {
		// Ends of the session were written by stops that the recorded policy let
		// pass; this policy makes its own.
		if e.Kind != evidence.SessionEnded {
			l.events = append(l.events, e)
		}
	}
	return l
}

// readLedger reads a ledger that is no part of a store.
func readLedger(path string) (log evidence.Log, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return log, err
	}
	log.Size = int64(len(data))
	for line := range bytes.Lines(data) {
		var e evidence.Event
		switch line = bytes.TrimSpace(line); {
		case len(line) == 0:
		case e.UnmarshalJSON(line) != nil:
			log.Bad++
		default:
			log.Events = append(log.Events, e)
		}
	}
	return log, nil
}

// at is what the ledger held at an instant.
func (l *ledger) at(now time.Time, m *transcript.Moment) (evidence.Log, error) {
	if l.source == EvidenceLedger {
		log := evidence.Log{Bad: l.log.Bad, Size: l.log.Size, Offset: l.log.Offset}
		for _, e := range l.events {
			if !e.TS.After(now) {
				log.Events = append(log.Events, e)
			}
		}
		return log, l.err
	}
	calls := m.Evidence()
	for _, c := range calls[min(l.taken, len(calls)):] {
		l.shown = append(l.shown, shownEvents(c)...)
		l.source = EvidenceTranscript
	}
	l.taken = max(l.taken, len(calls))
	return evidence.Log{Events: slices.Clip(l.shown)}, nil
}

// shownEvents are the events that an evidence command would have written. The
// instant is the one at which its result came: it ran shortly before.
func shownEvents(c transcript.EvidenceCall) []evidence.Event {
	e := evidence.Event{V: 1, ID: fmt.Sprintf("transcript@%d", c.Offset), TS: c.Time}
	switch c.Kind {
	case "status":
		if !c.EndTurn {
			e.Kind, e.CheckID = evidence.StatusObserved, c.CheckID
			return []evidence.Event{e}
		}
		e.Kind, e.CheckID = evidence.EndTurnChecked, c.CheckID
		if c.EndSession {
			end := e
			end.Kind = evidence.SessionEndRequested
			return []evidence.Event{e, end}
		}
	case "task":
		e.Kind, e.Text = evidence.TaskDeclared, c.Text
	case "name":
		e.Kind, e.Text = evidence.SessionNamed, c.Text
	default:
		return nil
	}
	return []evidence.Event{e}
}
