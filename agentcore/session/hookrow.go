package session

import (
	"cmp"
	"time"
)

// FeedbackPrefix begins the message that a Stop hook's reason becomes.
const FeedbackPrefix = "Stop hook feedback:\n"

const eventStop = "Stop"

// HookError is one hook that held the turn.
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
func (t *Thread) Feedback(f Feedback) (uuid string, err error) {
	event := cmp.Or(f.Event, eventStop)
	b := t.batch()
	b.userRow(UserRow{Text: FeedbackPrefix + f.Reason, Meta: true})
	uuid = b.uuid
	for _, h := range f.Hooks {
		b.attach("hook_blocking_error")
		b.str("hookName", event)
		b.str("toolUseID", t.opts.NewID())
		b.str("hookEvent", event)
		b.key("blockingError")
		b.b = append(b.b, '{')
		b.str("blockingError", h.Text)
		b.str("command", h.Command)
		b.b = append(b.b, '}')
		b.attached()
	}
	return uuid, b.put()
}

// attach begins an attachment row, up to the attachment's type.
func (b *batch) attach(typ string) {
	b.talk("attachment", "")
	b.place()
	b.key("attachment")
	b.b = append(b.b, '{')
	b.str("type", typ)
}

func (b *batch) attached() {
	b.b = append(b.b, '}')
	b.end(nil)
}

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
func (t *Thread) StopHookSummary(s StopHookSummary) error {
	b := t.batch()
	b.talk("system", "stop_hook_summary")
	b.num("hookCount", int64(len(s.Hooks)))
	b.key("hookInfos")
	b.b = append(b.b, '[')
	for i, h := range s.Hooks {
		if i > 0 {
			b.b = append(b.b, ',')
		}
		b.b = append(b.b, '{')
		b.str("command", h.Command)
		b.num("durationMs", h.Duration.Milliseconds())
		b.b = append(b.b, '}')
	}
	b.b = append(b.b, ']')
	b.strs("hookErrors", s.Errors)
	b.flag("preventedContinuation", s.Prevented)
	b.str("stopReason", s.StopReason)
	b.flag("hasOutput", s.HasOutput)
	b.str("level", "suggestion")
	b.str("toolUseID", t.opts.NewID())
	b.place()
	b.end(nil)
	return b.put()
}

// HookContext is what hooks add to the conversation.
type HookContext struct {
	Event     string // UserPromptSubmit, PostToolUse, SessionStart, …
	HookName  string // as in PostToolUse:Bash; empty: Event
	ToolUseID string // empty: a new id, as for hooks of no call
	Texts     []string
}

// HookContext records it; the model reads it in the next message, as a reminder.
// Without a text nothing is recorded.
func (t *Thread) HookContext(c HookContext) error {
	if len(c.Texts) == 0 {
		return nil
	}
	b := t.batch()
	b.attach("hook_additional_context")
	b.strs("content", c.Texts)
	b.hook(c.Event, c.HookName, c.ToolUseID)
	b.attached()
	return b.put()
}

// HookMessage records a hook's systemMessage, which is for people and no part of
// Messages.
func (t *Thread) HookMessage(event, text string) error {
	b := t.batch()
	b.attach("hook_system_message")
	b.str("content", text)
	b.hook(event, "", "")
	b.attached()
	return b.put()
}

func (b *batch) hook(event, name, toolUseID string) {
	if toolUseID == "" {
		toolUseID = b.t.opts.NewID()
	}
	b.str("hookName", cmp.Or(name, event))
	b.str("toolUseID", toolUseID)
	b.str("hookEvent", event)
}

// System records a note of the host's that is no part of Messages. Level is
// info, warning, error or suggestion.
func (t *Thread) System(subtype, level, text string) error {
	b := t.batch()
	b.talk("system", subtype)
	b.str("content", text)
	b.flag("isMeta", false)
	b.str("level", cmp.Or(level, "info"))
	b.place()
	b.end(nil)
	return b.put()
}
