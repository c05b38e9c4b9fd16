package hook

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"github.com/stophook/stophook/agentcore/model"
)

// The points of an agent. A payload says which of [IDs] it has.
const (
	// SystemBefore comes before a run's first call of the model: its system text
	// can be changed.
	SystemBefore Point[SystemBeforePayload] = "system:before"
	// TurnBefore comes before each call of the model.
	TurnBefore Point[TurnBeforePayload] = "turn:before"
	// TurnAfter comes when the model's message, and the results of its calls, are
	// recorded.
	TurnAfter Point[TurnAfterPayload] = "turn:after"

	// StreamText, StreamThinking and StreamEnd follow the model's answer.
	StreamText     Point[StreamTextPayload]     = "stream:text"
	StreamThinking Point[StreamThinkingPayload] = "stream:thinking"
	StreamEnd      Point[StreamEndPayload]      = "stream:end"

	// ToolGate comes before a valid call runs: it can be refused. Handlers are
	// inherited by subagents.
	ToolGate Point[ToolGatePayload] = "tool:gate"
	// ToolBefore comes when a call is about to run, the gate passed.
	ToolBefore Point[ToolBeforePayload] = "tool:before"
	// ToolAfter comes once for every call, when its result is final: also for
	// one that was refused, invalid, unknown or cancelled, and so never ran (AC-181).
	ToolAfter Point[ToolAfterPayload] = "tool:after"
	// ToolError comes before ToolAfter when a tool panicked or returned an error.
	ToolError Point[ToolErrorPayload] = "tool:error"
	// ToolTransform comes between a call's end and ToolAfter: what the model will
	// read can be changed.
	ToolTransform Point[ToolTransformPayload] = "tool:transform"

	// ContextTransform comes before each call of the model: the messages that it
	// will read can be changed, for this call alone.
	ContextTransform Point[ContextTransformPayload] = "context:transform"
	// SteerInject comes when a steering or follow-up message joins the conversation.
	SteerInject Point[SteerInjectPayload] = "steer:inject"

	// Stop comes when the agent wants to end its run: it can be sent back.
	Stop Point[StopPayload] = "stop"
	// AgentAbort comes when a run is told to abort.
	AgentAbort Point[AgentAbortPayload] = "agent:abort"
	// AgentDone comes exactly once per run, last.
	AgentDone Point[AgentDonePayload] = "agent:done"

	// SessionStart and SessionEnd frame a session's life in this process.
	SessionStart Point[SessionStartPayload] = "session:start"
	SessionEnd   Point[SessionEndPayload]   = "session:end"

	// SubagentStart and SubagentEnd are emitted by the parent of a subagent. What
	// happens between them in the child is heard with [ChildOf].
	SubagentStart Point[SubagentStartPayload] = "subagent:start"
	SubagentEnd   Point[SubagentEndPayload]   = "subagent:end"
)

// IDs say where something happened. What does not exist at a point is empty.
type IDs struct {
	SessionID string `json:"session_id,omitempty"`
	RunID     string `json:"run_id,omitempty"`
	TurnID    string `json:"turn_id,omitempty"`
	CallID    string `json:"call_id,omitempty"`  // of the tool_use
	AgentID   string `json:"agent_id,omitempty"` // of a subagent; empty: the session's own agent
	Depth     int    `json:"depth"`              // 0: the session's own agent
}

func (i *IDs) ids() *IDs { return i }

// SystemBeforePayload: session, run. Handlers may change System.
type SystemBeforePayload struct {
	IDs
	System string `json:"system"`
}

// Clone makes SystemBeforePayload [Mutable].
func (p *SystemBeforePayload) Clone() SystemBeforePayload { return *p }

// TurnBeforePayload: session, run, turn.
type TurnBeforePayload struct {
	IDs
	Turn  int    `json:"turn"` // of the run, from 1
	Model string `json:"model,omitempty"`
}

// TurnAfterPayload: session, run, turn.
type TurnAfterPayload struct {
	IDs
	Turn    int            `json:"turn"`
	Message *model.Message `json:"message,omitempty"` // the assistant's, not to be changed; nil when none came
	Usage   model.Usage    `json:"usage"`             // of this turn
}

// StreamTextPayload: session, run, turn.
type StreamTextPayload struct {
	IDs
	Delta string `json:"delta"`
}

// StreamThinkingPayload: session, run, turn.
type StreamThinkingPayload struct {
	IDs
	Delta string `json:"delta"`
}

// StreamEndPayload: session, run, turn.
type StreamEndPayload struct {
	IDs
	StopReason model.StopReason `json:"stop_reason,omitempty"`
	Text       string           `json:"text,omitempty"` // all of the message's
	Err        error            `json:"-"`              // the stream broke off
}

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

// ContextTransformPayload: session, run, turn. Handlers may change Messages, in
// place as well.
type ContextTransformPayload struct {
	IDs
	Messages []model.Message `json:"messages"`
}

// Clone makes ContextTransformPayload [Mutable].
func (p *ContextTransformPayload) Clone() ContextTransformPayload {
	c := *p
	c.Messages = slices.Clone(p.Messages)
	for i := range c.Messages {
		m := &c.Messages[i]
		m.Content = cloneBlocks(m.Content)
		if m.Usage != nil {
			u := *m.Usage
			m.Usage = &u
		}
	}
	return c
}

func cloneBlocks(blocks []model.Block) []model.Block {
	blocks = slices.Clone(blocks)
	for i := range blocks {
		b := &blocks[i]
		b.Input, b.Raw, b.Content = bytes.Clone(b.Input), bytes.Clone(b.Raw), cloneBlocks(b.Content)
		if b.Source != nil {
			s := *b.Source
			b.Source = &s
		}
	}
	return blocks
}

// SteerInjectPayload: session, run, turn.
type SteerInjectPayload struct {
	IDs
	Text     string `json:"text"`
	FollowUp bool   `json:"follow_up"` // it waited for the end of the run
}

// StopPayload: session, run, turn. Handlers may set Block and Reason.
type StopPayload struct {
	IDs
	Active bool   `json:"active"`         // the run goes on because of an earlier block
	Blocks int    `json:"blocks"`         // of this run so far
	Text   string `json:"text,omitempty"` // the final text of the turn
	Block  bool   `json:"block"`
	Reason string `json:"reason,omitempty"` // the model reads it
}

// Refused and Refuse make StopPayload [Gated].
func (p *StopPayload) Refused() (bool, string) { return p.Block, p.Reason }

// Refuse sends the agent back.
func (p *StopPayload) Refuse(reason string) { p.Block, p.Reason = true, reason }

// AgentAbortPayload: session, run, turn.
type AgentAbortPayload struct {
	IDs
	SafePoint string `json:"safe_point"` // now, after_model, after_tools
	Reason    string `json:"reason,omitempty"`
}

// AgentDonePayload: session, run.
type AgentDonePayload struct {
	IDs
	StopReason string        `json:"stop_reason"`
	Text       string        `json:"text,omitempty"`
	Totals     model.Usage   `json:"totals"`
	CostUSD    float64       `json:"cost_usd,omitempty"`
	Turns      int           `json:"turns"`
	Elapsed    time.Duration `json:"elapsed_ns"`
	Err        error         `json:"-"`
}

// SessionStartPayload: session.
type SessionStartPayload struct {
	IDs
	Source string `json:"source"` // startup, resume, fork, clear, compact
	Path   string `json:"path"`   // of the transcript
}

// SessionEndPayload: session.
type SessionEndPayload struct {
	IDs
	Reason string `json:"reason"`
}

// SubagentStartPayload: session, run, turn, call of the parent.
type SubagentStartPayload struct {
	IDs
	ChildID string `json:"childId"`
	Type    string `json:"type,omitempty"`
	Prompt  string `json:"prompt"`
}

// SubagentEndPayload: session, run, turn, call of the parent.
type SubagentEndPayload struct {
	IDs
	ChildID string        `json:"childId"`
	Text    string        `json:"text,omitempty"`
	Totals  model.Usage   `json:"totals"`
	Turns   int           `json:"turns"`
	Elapsed time.Duration `json:"elapsed_ns"`
	Err     error         `json:"-"`
}
