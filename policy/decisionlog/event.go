package decisionlog

import "time"

// Path is the `path` of our events: where the decision stands in the policies.
const Path = "stophook/main/decision"

// Keys of Event.Custom that this package or its readers give a meaning.
const (
	CustomSessionID = "session_id" // string; [Filter.SessionID] looks here first
	CustomTruncated = "truncated"  // bool, set by the writer: the line was over [MaxLineBytes] and lost parts
)

// Event is one decision, in the field names and the order of OPA's decision log
// events. Input, Result and Custom hold JSON-like values (maps with string keys,
// slices, strings, numbers, booleans, nil); anything else is passed through
// encoding/json first.
type Event struct {
	Labels     map[string]string `json:"labels"`
	DecisionID string            `json:"decision_id"`
	// Bundles tells which policies were in force, by name.
	Bundles map[string]Bundle `json:"bundles,omitempty"`
	Path    string            `json:"path,omitempty"`
	Input   any               `json:"input,omitempty"`
	// Prepared is Input as [Writer.Prepare] encoded it ahead of time; nil means
	// that Append encodes it.
	Prepared *Prepared `json:"-"`
	Result   any       `json:"result,omitempty"`
	// Erased and Masked list the paths that differ from the original. The writer
	// adds to what the caller put there.
	Erased []string `json:"erased,omitempty"`
	Masked []string `json:"masked,omitempty"`
	// Error is set when the evaluation failed; an object with code and message.
	Error     any       `json:"error,omitempty"`
	Timestamp time.Time `json:"timestamp"`
	// Metrics holds durations in nanoseconds, named timer_*_ns as OPA does.
	Metrics map[string]any `json:"metrics,omitempty"`
	// Custom is ours; see the Custom constants.
	Custom map[string]any `json:"custom,omitempty"`
}

// Bundle identifies one policy bundle.
type Bundle struct {
	Revision string `json:"revision,omitempty"`
}

// SessionID is the session an event belongs to: from custom, else from the input
// (input.session.id); "" when neither tells.
func (e *Event) SessionID() string {
	if id, ok := e.Custom[CustomSessionID].(string); ok && id != "" {
		return id
	}
	input, _ := e.Input.(map[string]any)
	session, _ := input["session"].(map[string]any)
	id, _ := session["id"].(string)
	return id
}
