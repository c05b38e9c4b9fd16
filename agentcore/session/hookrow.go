package session

import "time"

// FeedbackPrefix begins the message that a Stop hook's reason becomes.
const FeedbackPrefix = "Stop hook feedback:\n"

// HookError is one hook that held the turn, or failed.
type HookError struct {
	Command string
	Text    string
}

// Feedback is what Stop hooks say to an agent that they do not let go.
type Feedback struct {
	Event  string // Stop or SubagentStop; empty: Stop
	Reason string // what the model reads, without the prefix
	// Hooks are those that held it, each with its own reason. Empty: no row but
	// the message, as for additional context.
	Hooks []HookError
}

// Feedback records it as the client does: a message of the user's side that
// begins no turn, and an attachment for every hook. Gives the message's uuid.
func (t *Thread) Feedback(f Feedback) (uuid string, err error) { return "", errNotYet }

// HookInfo is one hook that ran.
type HookInfo struct {
	Command  string
	Duration time.Duration
}

// StopHookSummary says what became of the Stop hooks at the end of a turn.
type StopHookSummary struct {
	Hooks      []HookInfo
	Errors     []string // reasons of blocks and texts of failures, in order
	Prevented  bool     // a hook ended the run (continue: false)
	StopReason string   // that it gave
	HasOutput  bool
}

// StopHookSummary records it. The client does so whenever Stop hooks ran, behind
// the feedback if there is any.
func (t *Thread) StopHookSummary(s StopHookSummary) error { return errNotYet }

// HookContext is what hooks add to the conversation.
type HookContext struct {
	Event     string // UserPromptSubmit, PostToolUse, SessionStart, …
	HookName  string // as in PostToolUse:Bash; empty: Event
	ToolUseID string
	Texts     []string
}

// HookContext records it; the model reads it in the next message.
func (t *Thread) HookContext(c HookContext) error { return errNotYet }

// HookMessage records a hook's systemMessage, which is for people and no part of
// Messages.
func (t *Thread) HookMessage(event, text string) error { return errNotYet }

// System records a note of the host's that is no part of Messages. Level is
// info, warning, error or suggestion.
func (t *Thread) System(subtype, level, text string) error { return errNotYet }
