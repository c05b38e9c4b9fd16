package hookio

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Events that a host of ours sends or knows beside those of [Stop] and its
// neighbours. This project's hook answers them with an allow.
const (
	PreCompact   EventName = "PreCompact"   // the conversation is about to be shortened
	Notification EventName = "Notification" // the host tells its person something
)

// ErrNoEvent is a [Payload] without an event, which no hook could be chosen for.
var ErrNoEvent = errors.New("hook payload without an event name: set Payload.Event")

// Payload is a hook call as a host writes it: what [Decode] reads, from the other
// side, in Claude Code's form (claude-code section 3). Only the fields of its event
// are written, and of those the optional ones when they are set.
type Payload struct {
	Event          EventName
	SessionID      string
	TranscriptPath string
	CWD            string
	PromptID       string // optional
	PermissionMode string // optional; only where an agent works
	Effort         string // optional: low, medium, high, …; as PermissionMode, but not with a prompt

	// AgentID and AgentType are a subagent's, in every event that happens inside
	// one.
	AgentID             string
	AgentType           string
	AgentTranscriptPath string // SubagentStop

	// Stop and SubagentStop. Nil means that the host cannot tell, and leaves the
	// field out; an empty list means that nothing runs.
	StopHookActive       bool
	LastAssistantMessage *string
	BackgroundTasks      *[]BackgroundTask
	SessionCrons         json.RawMessage // a list; nil leaves it out

	// PreToolUse and PostToolUse.
	ToolName     string
	ToolInput    json.RawMessage // nil: an empty object
	ToolUseID    string
	ToolResponse json.RawMessage // PostToolUse; nil: an empty string
	DurationMS   *int64          // PostToolUse

	Prompt string // UserPromptSubmit
	Source string // SessionStart: startup, resume, clear, compact, fork
	Model  string // SessionStart, optional
	Reason string // SessionEnd: clear, logout, prompt_input_exit, other

	Trigger            string // PreCompact: manual, auto
	CustomInstructions string // PreCompact
	Message            string // Notification
	Title              string // Notification, optional
	NotificationType   string // Notification
}

// Encode writes the payload as one JSON object, without a newline behind it, in the
// order of fields that Claude Code has. Errors: [ErrNoEvent], and raw JSON that is
// none.
func (p *Payload) Encode() ([]byte, error) {
	if p.Event == "" {
		return nil, ErrNoEvent
	}
	w := &writer{}
	w.text("session_id", p.SessionID)
	w.text("transcript_path", p.TranscriptPath)
	w.text("cwd", p.CWD)
	w.optional("prompt_id", p.PromptID)
	if p.Event.inTurn() {
		w.optional("permission_mode", p.PermissionMode)
	}
	if p.Event != SubagentStop {
		w.optional("agent_id", p.AgentID)
		w.optional("agent_type", p.AgentType)
	}
	if p.Effort != "" && p.Event.inTurn() && p.Event != UserPromptSubmit {
		w.value("effort", map[string]string{"level": p.Effort})
	}
	w.text("hook_event_name", string(p.Event))
	p.body(w)
	if w.err != nil {
		return nil, fmt.Errorf("payload of %s: %w", p.Event, w.err)
	}
	w.buf.WriteByte('}')
	return w.buf.Bytes(), nil
}

// inTurn tells the events that happen while an agent works, which alone say how.
func (n EventName) inTurn() bool {
	switch n {
	case SessionStart, SessionEnd, PreCompact, Notification:
		return false
	}
	return true
}

// body writes what belongs to the event alone.
func (p *Payload) body(w *writer) {
	switch p.Event {
	case Stop, SubagentStop:
		p.stop(w)
	case PreToolUse, PostToolUse:
		w.text("tool_name", p.ToolName)
		w.raw("tool_input", p.ToolInput, "{}")
		if p.Event == PostToolUse {
			w.raw("tool_response", p.ToolResponse, `""`)
		}
		w.text("tool_use_id", p.ToolUseID)
		if p.Event == PostToolUse && p.DurationMS != nil {
			w.value("duration_ms", *p.DurationMS)
		}
	case UserPromptSubmit:
		w.text("prompt", p.Prompt)
	case SessionStart:
		w.text("source", p.Source)
		w.optional("model", p.Model)
	case SessionEnd:
		w.text("reason", p.Reason)
	case PreCompact:
		w.text("trigger", p.Trigger)
		w.text("custom_instructions", p.CustomInstructions)
	case Notification:
		w.text("message", p.Message)
		w.optional("title", p.Title)
		w.text("notification_type", p.NotificationType)
	}
}

func (p *Payload) stop(w *writer) {
	w.value("stop_hook_active", p.StopHookActive)
	if p.Event == SubagentStop {
		w.text("agent_id", p.AgentID)
		w.text("agent_transcript_path", p.AgentTranscriptPath)
		w.text("agent_type", p.AgentType)
	}
	if p.LastAssistantMessage != nil {
		w.text("last_assistant_message", *p.LastAssistantMessage)
	}
	if p.BackgroundTasks != nil {
		list := *p.BackgroundTasks
		if list == nil {
			list = []BackgroundTask{}
		}
		w.value("background_tasks", list)
	}
	if p.SessionCrons != nil {
		w.raw("session_crons", p.SessionCrons, "[]")
	}
}

// writer makes one JSON object, member by member.
type writer struct {
	buf bytes.Buffer
	err error
}

func (w *writer) text(key, value string) { w.value(key, value) }

func (w *writer) optional(key, value string) {
	if value != "" {
		w.value(key, value)
	}
}

// raw writes JSON as it is; absent stands for none.
func (w *writer) raw(key string, value json.RawMessage, absent string) {
	if len(value) == 0 {
		value = json.RawMessage(absent)
	}
	if !json.Valid(value) && w.err == nil {
		w.err = fmt.Errorf("%s is no JSON", key)
	}
	w.key(key)
	w.buf.Write(value)
}

func (w *writer) value(key string, value any) {
	w.key(key)
	enc := json.NewEncoder(&w.buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil && w.err == nil {
		w.err = fmt.Errorf("%s: %w", key, err)
		return
	}
	w.buf.Truncate(w.buf.Len() - 1) // the encoder's newline
}

func (w *writer) key(key string) {
	sep := byte(',')
	if w.buf.Len() == 0 {
		sep = '{'
	}
	w.buf.WriteByte(sep)
	w.buf.WriteByte('"')
	w.buf.WriteString(key)
	w.buf.WriteString(`":`)
}
