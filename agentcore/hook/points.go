package hook

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
