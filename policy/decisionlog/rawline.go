package decisionlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/tidwall/gjson"
)

// Line is one event as it stands in the log.
type Line struct {
	Raw  []byte    // without the newline; the reader's own, gone when its func returns
	Time time.Time // the event's timestamp
}

// errNoEvent is a line that is JSON and no event of a decision log.
var errNoEvent = errors.New("no event of a decision log")

// parseLine looks whether a line is an event: one JSON object with a decision id,
// and with a time that is one when it is there.
func parseLine(raw []byte) (Line, bool) {
	if len(raw) == 0 || raw[0] != '{' || !gjson.ValidBytes(raw) || gjson.GetBytes(raw, "decision_id").Str == "" {
		return Line{}, false
	}
	stamp := gjson.GetBytes(raw, "timestamp")
	if !stamp.Exists() {
		return Line{Raw: raw}, true
	}
	at, err := time.Parse(time.RFC3339Nano, stamp.Str)
	return Line{Raw: raw, Time: at}, err == nil
}

// ParseLine is the [Line] of bytes that a reader of this package has given out.
func ParseLine(raw []byte) Line {
	l, _ := parseLine(raw)
	return l
}

// Get is the value at a gjson path, such as result.verdict; the zero Result when
// there is none.
func (l Line) Get(path string) gjson.Result { return gjson.GetBytes(l.Raw, path) }

// SessionID is the session of the event, as [Event.SessionID] tells it.
func (l Line) SessionID() string {
	if id := l.Get("custom." + CustomSessionID).Str; id != "" {
		return id
	}
	return l.Get("input.session.id").Str
}

// Event decodes the line. Numbers in Input, Result and Custom are json.Number.
func (l Line) Event() (Event, error) {
	dec := json.NewDecoder(bytes.NewReader(l.Raw))
	dec.UseNumber()
	var e Event
	if err := dec.Decode(&e); err != nil {
		return Event{}, fmt.Errorf("%w: %w", errNoEvent, err)
	}
	return e, nil
}
