package evidence

import (
	"encoding/json"
	"errors"
	"strconv"
	"time"
)

const stateVersion = 1

// Remediation counts the consecutive blocks of one cycle (PO-11, CL-3).
type Remediation struct {
	Cycle string // key of the cycle: the human prompt that began it
	Count int    // blocks so far
}

// Add counts one more block and reports whether it may happen. At the limit it
// counts nothing and answers false: the stop must pass. A new cycle starts at 1.
// Call it inside [Session.Update], where no other hook can count in between.
func (r *Remediation) Add(cycle string, limit int) bool {
	if r.Cycle != cycle {
		*r = Remediation{Cycle: cycle}
	}
	if r.Count >= limit {
		return false
	}
	r.Count++
	return true
}

// Stop is the latest stop that changed the state, and what the state was before it.
// A host that has the hook installed twice (a plugin beside the settings) runs two
// processes for one stop: both must judge it by the same state, and it counts once.
type Stop struct {
	Key         string      // names the stop; empty: none yet
	By          []string    // who judged it: one key for each installation
	At          time.Time   // UTC, when it was judged first
	Counted     bool        // as a block
	Remediation Remediation // before it
	Nudged      string      // before it
}

// State is what a session's hooks tell each other from stop to stop. The zero
// value is a session that had no stop yet.
type State struct {
	V           int
	Remediation Remediation
	Nudged      string // key of the human prompt that had its one nudge
	LastVerdict string
	LastCode    string
	LastAt      time.Time // UTC
	Ended       bool
	Stop        Stop
	Extra       map[string]json.RawMessage // members of newer versions, kept
}

// MarshalJSON writes state.json's object.
func (st State) MarshalJSON() ([]byte, error) {
	b := append(make([]byte, 0, 640), `{"v":`...)
	b = strconv.AppendInt(b, int64(st.V), 10)
	b = st.Remediation.append(appendKey(b, "remediation"))
	b = appendField(b, "nudged", st.Nudged)
	b = appendField(b, "last_verdict", st.LastVerdict)
	b = appendField(b, "last_code", st.LastCode)
	if !st.LastAt.IsZero() {
		b = appendTime(appendKey(b, "last_at"), st.LastAt)
	}
	if st.Ended {
		b = append(appendKey(b, "ended"), "true"...)
	}
	if st.Stop.Key != "" {
		b = st.Stop.append(appendKey(b, "stop"))
	}
	b, err := appendExtra(b, st.Extra, isStateKey)
	if err != nil {
		return nil, err
	}
	return append(b, '}'), nil
}

// UnmarshalJSON is strict where the cap depends on it: the version and the
// count must be there, and the count must not be negative.
func (st *State) UnmarshalJSON(data []byte) error {
	got := State{Remediation: Remediation{Count: -1}}
	err := scanObject(data, func(key, raw []byte) error {
		switch string(key) {
		case "v":
			return readInt(raw, &got.V)
		case "remediation":
			return got.Remediation.scan(raw)
		case "nudged":
			return readText(raw, &got.Nudged)
		case "last_verdict":
			return readText(raw, &got.LastVerdict)
		case "last_code":
			return readText(raw, &got.LastCode)
		case "last_at":
			return readTime(raw, &got.LastAt)
		case "ended":
			return readBool(raw, &got.Ended)
		case "stop":
			return got.Stop.scan(raw)
		}
		keepExtra(&got.Extra, key, raw)
		return nil
	})
	if err != nil {
		return err
	}
	if got.V < 1 || got.Remediation.Count < 0 || got.Stop.Remediation.Count < 0 {
		return errors.New("no version, or no remediation count of at least 0")
	}
	*st = got
	return nil
}

func (r Remediation) append(b []byte) []byte {
	b = appendText(append(b, `{"cycle":`...), r.Cycle)
	b = strconv.AppendInt(appendKey(b, "count"), int64(r.Count), 10)
	return append(b, '}')
}

func (r *Remediation) scan(data []byte) error {
	return scanObject(data, func(key, raw []byte) error {
		switch string(key) {
		case "cycle":
			return readText(raw, &r.Cycle)
		case "count":
			return readInt(raw, &r.Count)
		}
		return nil
	})
}

func (s Stop) append(b []byte) []byte {
	b = appendText(append(b, `{"key":`...), s.Key)
	b = append(appendKey(b, "by"), '[')
	for i, by := range s.By {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(b, by)
	}
	b = append(b, ']')
	if !s.At.IsZero() {
		b = appendTime(appendKey(b, "at"), s.At)
	}
	if s.Counted {
		b = append(appendKey(b, "counted"), "true"...)
	}
	b = s.Remediation.append(appendKey(b, "remediation"))
	return append(appendField(b, "nudged", s.Nudged), '}')
}

func (s *Stop) scan(data []byte) error {
	return scanObject(data, func(key, raw []byte) error {
		switch string(key) {
		case "key":
			return readText(raw, &s.Key)
		case "by":
			return json.Unmarshal(raw, &s.By)
		case "at":
			return readTime(raw, &s.At)
		case "counted":
			return readBool(raw, &s.Counted)
		case "remediation":
			return s.Remediation.scan(raw)
		case "nudged":
			return readText(raw, &s.Nudged)
		}
		return nil
	})
}

func isStateKey(key string) bool {
	switch key {
	case "v", "remediation", "nudged", "last_verdict", "last_code", "last_at", "ended", "stop":
		return true
	}
	return false
}
