package hookio

import "encoding/json"

// Permission is what a PreToolUse hook decides about a call. Empty: nothing.
type Permission string

// The decisions, from the weakest to the strongest.
const (
	PermitAllow Permission = "allow"
	PermitAsk   Permission = "ask"
	PermitDeny  Permission = "deny"
)

// Reply is what a host makes of a hook's answer: [Encode] read from the other side.
type Reply struct {
	Block  bool   // Stop, SubagentStop, UserPromptSubmit, PostToolUse: hold, and tell the model Reason
	Reason string // of Block

	End        bool   // continue: false; beats Block
	StopReason string // of End, for the person

	SystemMessage  string // for the person
	SuppressOutput bool

	Permission       Permission // PreToolUse
	PermissionReason string
	UpdatedInput     json.RawMessage // PreToolUse; an object

	Context string // for the model

	// Fault says why the output is no answer, in one sentence; then everything
	// else is empty, and the action proceeds. Empty: the hook did its duty.
	Fault string
	// Ignored are keys that mean nothing at this event, for a log.
	Ignored []string
}

// DecodeAnswer reads what a hook printed, by the rules of Claude Code
// (claude-code section 4, hosts section 1.2).
func DecodeAnswer(event EventName, stdout, stderr []byte, exitCode int) Reply { return Reply{} }
