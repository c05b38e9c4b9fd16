package hook

import (
	"bytes"
	"encoding/json"
	"time"
)

// ToolGatePayload: session, run, turn, call. Handlers may set Block and Reason.
type ToolGatePayload struct {
	IDs
	Name   string          `json:"name"`
	Input  json.RawMessage `json:"input"` // not to be changed
	Block  bool            `json:"block"`
	Reason string          `json:"reason,omitempty"` // the model reads it
}

// Refused and Refuse make ToolGatePayload [Gated].
func (p *ToolGatePayload) Refused() (bool, string) { return p.Block, p.Reason }

// Refuse blocks the call.
func (p *ToolGatePayload) Refuse(reason string) { p.Block, p.Reason = true, reason }

// Inherited: a call of a subagent is judged here, too.
func (p *ToolGatePayload) Inherited() {}

// ToolBeforePayload: session, run, turn, call.
type ToolBeforePayload struct {
	IDs
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
	Start time.Time       `json:"start"`
}

// CallState says how far a call came.
type CallState string

// How a call ended.
const (
	CallRan       CallState = "ran"
	CallRefused   CallState = "refused"   // by a gate or a permission
	CallInvalid   CallState = "invalid"   // its input did not fit the schema
	CallUnknown   CallState = "unknown"   // no tool has this name
	CallCancelled CallState = "cancelled" // by the person, or with the run
	CallFailed    CallState = "failed"    // the tool returned an error or panicked
)

// ToolAfterPayload: session, run, turn, call.
type ToolAfterPayload struct {
	IDs
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input"`
	Result  string          `json:"result"` // as the model reads it
	IsError bool            `json:"is_error"`
	State   CallState       `json:"state"`
	Start   time.Time       `json:"start"` // of a call that never ran: when it was handled
	End     time.Time       `json:"end"`
}

// ToolErrorPayload: session, run, turn, call.
type ToolErrorPayload struct {
	IDs
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
	Err   error           `json:"-"`
}

// ToolTransformPayload: session, run, turn, call. Handlers may change Result and
// IsError.
type ToolTransformPayload struct {
	IDs
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input"`
	Result  string          `json:"result"`
	IsError bool            `json:"is_error"`
}

// Clone makes ToolTransformPayload [Mutable].
func (p *ToolTransformPayload) Clone() ToolTransformPayload {
	c := *p
	c.Input = bytes.Clone(p.Input)
	return c
}
