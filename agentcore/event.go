package agentcore

import (
	"encoding/json"
	"time"

	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/task"
)

// EventKind tells the fields of an [Event] that count.
type EventKind string

// Kinds of events, in the order in which a run can yield them.
const (
	EventRunStart  EventKind = "run_start"  // Session, Path, Model
	EventPrompt    EventKind = "prompt"     // Text, which was recorded as a prompt; FollowUp
	EventSteer     EventKind = "steer"      // Text, which joins the turn that goes on
	EventTurnStart EventKind = "turn_start" // Turn, from 1

	// Deltas, for showing alone: the message follows whole.
	EventText     EventKind = "text_delta"
	EventThinking EventKind = "thinking_delta"
	EventToolHead EventKind = "tool_delta"  // a call begins to come: CallID, Tool
	EventToolMore EventKind = "input_delta" // more of the input of the latest one: Text
	EventRestart  EventKind = "restart"     // the answer begins anew, what was shown of it is void: Text says why, Wait

	EventMessage    EventKind = "message"     // Message, as it was recorded; Usage
	EventToolStart  EventKind = "tool_start"  // CallID, Tool, Input as the tool gets it
	EventToolResult EventKind = "tool_result" // CallID, Tool, Text, IsError, Elapsed

	EventBlocked EventKind = "stop_blocked" // stop hooks send the agent back: Text is the reason, Blocks
	EventNudge   EventKind = "nudge"        // the agent is asked to collect its tasks: Text
	EventNotice  EventKind = "notice"       // a hook's message for the person
	EventWarning EventKind = "warning"      // something went wrong beside the work

	EventTask  EventKind = "task_notification" // the model was told of a task's end: Task
	EventStall EventKind = "task_stall"        // or that one is quiet: Stall

	EventChildStart EventKind = "subagent_start" // Child, CallID, Text is the prompt
	EventChildEnd   EventKind = "subagent_end"   // Child, CallID, Text is its answer, Usage

	EventResult EventKind = "result" // Result; the last event of the run that Agent and Depth name
)

// Event is one thing that happened. Which fields count is said by the kind; the
// others are zero. Events of a subagent carry its id in Agent and come between its
// subagent_start and subagent_end, mixed with those of agents beside it.
type Event struct {
	Kind    EventKind `json:"type"`
	Session string    `json:"session_id"`
	Run     string    `json:"run_id"`
	Agent   string    `json:"agent_id,omitempty"` // of a subagent; empty: the session's own agent
	Depth   int       `json:"depth,omitempty"`
	Turn    int       `json:"turn,omitempty"` // of the run, from 1

	Text     string          `json:"text,omitempty"`
	Message  *model.Message  `json:"message,omitempty"` // shared: not to be changed
	CallID   string          `json:"call_id,omitempty"`
	Tool     string          `json:"tool,omitempty"`
	Input    json.RawMessage `json:"input,omitempty"`
	IsError  bool            `json:"is_error,omitempty"`
	Elapsed  time.Duration   `json:"elapsed_ns,omitempty"`
	Wait     time.Duration   `json:"wait_ns,omitempty"`
	FollowUp bool            `json:"follow_up,omitempty"`
	Blocks   int             `json:"blocks,omitempty"`
	Child    string          `json:"child_id,omitempty"`
	Usage    *model.Usage    `json:"usage,omitempty"`
	Path     string          `json:"transcript_path,omitempty"`
	Model    string          `json:"model,omitempty"`
	Task     *task.Event     `json:"task,omitempty"`
	Stall    *task.Stall     `json:"stall,omitempty"`
	Result   *Result         `json:"result,omitempty"`
}
