package evidence

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"
)

// Kind says what an event proves. Kinds of newer versions are kept as they are.
type Kind string

// The kinds that this version writes.
const (
	EndTurnChecked      Kind = "end_turn_checked"      // the guarded status check passed
	StatusObserved      Kind = "status_observed"       // status was looked at, outside the guard
	TaskDeclared        Kind = "task_declared"         // Text is the task
	SessionNamed        Kind = "session_named"         // Text is the name
	SessionEndRequested Kind = "session_end_requested" // to be carried out by a passing stop
	SessionEnded        Kind = "session_ended"
	SessionStarted      Kind = "session_started"
	PromptSubmitted     Kind = "prompt_submitted"
)

// Errors of writing an event.
var (
	ErrNoKind        = errors.New("an event needs a kind")
	ErrEventTooLarge = errors.New("the event is larger than 64 KiB")
)

const (
	eventVersion = 1
	maxLine      = 64 << 10
)

// Event is one line of the ledger.
type Event struct {
	V        int       // version of the line's shape; Append sets it to 1 when 0
	ID       string    // Append makes one when empty
	TS       time.Time // UTC; Append stamps it, under the lock, when zero
	Kind     Kind
	CheckID  string
	Text     string
	PromptID string
	Cwd      string
	Git      json.RawMessage // a JSON object; see GitSummary
	// Extra holds members that this version does not know, so that rewriting or
	// printing an event loses nothing.
	Extra map[string]json.RawMessage
}

// MarshalJSON writes the line of the ledger, without the newline.
func (e Event) MarshalJSON() ([]byte, error) { return e.appendLine(nil) }

func (e Event) appendLine(dst []byte) ([]byte, error) {
	if e.Kind == "" {
		return nil, ErrNoKind
	}
	start := len(dst)
	dst = append(dst, `{"v":`...)
	dst = strconv.AppendInt(dst, int64(e.V), 10)
	dst = appendField(dst, "id", e.ID)
	dst = appendTime(appendKey(dst, "ts"), e.TS)
	dst = appendField(dst, "kind", string(e.Kind))
	dst = appendField(dst, "check_id", e.CheckID)
	dst = appendField(dst, "text", e.Text)
	dst = appendField(dst, "prompt_id", e.PromptID)
	dst = appendField(dst, "cwd", e.Cwd)
	var err error
	if len(e.Git) > 0 {
		if dst, err = appendRaw(appendKey(dst, "git"), e.Git); err != nil {
			return nil, fmt.Errorf("member git of the event: %w", err)
		}
	}
	if dst, err = appendExtra(dst, e.Extra, isEventKey); err != nil {
		return nil, err
	}
	dst = append(dst, '}')
	if len(dst)-start > maxLine {
		return nil, fmt.Errorf("%w: %d bytes of kind %s", ErrEventTooLarge, len(dst)-start, e.Kind)
	}
	return dst, nil
}

// UnmarshalJSON reads a line of the ledger. It refuses one without a kind or a
// time, which could prove nothing.
func (e *Event) UnmarshalJSON(line []byte) error {
	var got Event
	err := scanObject(line, func(key, raw []byte) error {
		switch string(key) {
		case "v":
			return readInt(raw, &got.V)
		case "id":
			return readText(raw, &got.ID)
		case "ts":
			return readTime(raw, &got.TS)
		case "kind":
			k, err := textBytes(raw)
			got.Kind = knownKind(k)
			return err
		case "check_id":
			return readText(raw, &got.CheckID)
		case "text":
			return readText(raw, &got.Text)
		case "prompt_id":
			return readText(raw, &got.PromptID)
		case "cwd":
			return readText(raw, &got.Cwd)
		case "git":
			got.Git = bytes.Clone(raw)
			return nil
		}
		keepExtra(&got.Extra, key, raw)
		return nil
	})
	if err != nil {
		return err
	}
	if got.Kind == "" || got.TS.IsZero() {
		return errors.New("an event without kind or ts")
	}
	*e = got
	return nil
}

// knownKind spares an allocation for each line of a known kind.
func knownKind(k []byte) Kind {
	switch string(k) {
	case string(EndTurnChecked):
		return EndTurnChecked
	case string(StatusObserved):
		return StatusObserved
	case string(PromptSubmitted):
		return PromptSubmitted
	case string(TaskDeclared):
		return TaskDeclared
	}
	return Kind(k)
}

func isEventKey(key string) bool {
	switch key {
	case "v", "id", "ts", "kind", "check_id", "text", "prompt_id", "cwd", "git":
		return true
	}
	return false
}

func keepExtra(extra *map[string]json.RawMessage, key, raw []byte) {
	if *extra == nil {
		*extra = map[string]json.RawMessage{}
	}
	(*extra)[string(key)] = bytes.Clone(raw)
}

// appendExtra writes the unknown members sorted, and never one that the writer
// has written itself.
func appendExtra(dst []byte, extra map[string]json.RawMessage, known func(string) bool) ([]byte, error) {
	for _, key := range slices.Sorted(maps.Keys(extra)) {
		if known(key) {
			continue
		}
		dst = append(appendText(append(dst, ','), key), ':')
		var err error
		if dst, err = appendRaw(dst, extra[key]); err != nil {
			return nil, fmt.Errorf("member %q: %w", key, err)
		}
	}
	return dst, nil
}

// appendRaw appends a JSON value on one line, whatever it looked like.
func appendRaw(dst []byte, raw json.RawMessage) ([]byte, error) {
	buf := bytes.NewBuffer(dst)
	if err := json.Compact(buf, raw); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}
