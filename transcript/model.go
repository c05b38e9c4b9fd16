package transcript

import (
	"encoding/json"
	"time"
)

// Kind tells what sort of background work a task is (DESIGN section 3).
type Kind string

// The kinds a receipt row can reveal. A kind that this version does not know
// is kept as the host wrote it.
const (
	KindShell    Kind = "shell"
	KindSubagent Kind = "subagent"
	KindMonitor  Kind = "monitor"
	KindWorkflow Kind = "workflow"
	KindMCP      Kind = "mcp"
)

// Entrance tells how a shell command got into the background. It is empty for
// every kind but [KindShell], and encodes as JSON null there.
type Entrance string

// The entrances, told apart by the siblings of backgroundTaskId (claude-code
// section 1) and, for the last one, by parsing the command.
const (
	EntranceRequested        Entrance = "requested"
	EntranceDeliveredMessage Entrance = "delivered_message"
	EntranceUser             Entrance = "user"
	EntranceTimeout          Entrance = "timeout"
	EntranceTurnAbort        Entrance = "turn_abort"
	EntranceAgentReport      Entrance = "agent_report"
	EntranceShellSyntax      Entrance = "shell_syntax"
)

// MarshalJSON writes null for the empty entrance.
func (e Entrance) MarshalJSON() ([]byte, error) {
	if e == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(e))
}

// TaskState is what the transcript proves about a task.
type TaskState string

// A task is running until a row ends it; unknown means that no row could tell
// (shell_syntax work has no receipt, so nothing ever reports its end).
const (
	TaskRunning TaskState = "running"
	TaskEnded   TaskState = "ended"
	TaskUnknown TaskState = "unknown"
)

// Position is where a row stands: its byte offset in the file, its uuid when it
// has one, and its timestamp (zero when missing or unreadable).
type Position struct {
	Offset int64     `json:"offset"`
	UUID   string    `json:"uuid,omitempty"`
	Time   time.Time `json:"time,omitzero"`
}

// Task is one piece of background work, known from its receipt row and keyed by
// (ID, RunID), because a resumed task keeps its id and gets a new run id.
type Task struct {
	ID        string    `json:"id"`
	RunID     string    `json:"run_id,omitempty"`
	Kind      Kind      `json:"kind"`
	Entrance  Entrance  `json:"entrance"`
	State     TaskState `json:"state"`
	Status    string    `json:"status,omitempty"`    // completed, failed, killed, stopped, as the host wrote it
	ExitCode  *int      `json:"exit_code,omitempty"` // when a notice or result tells it
	Harvested bool      `json:"harvested"`           // its output was read, or it was stopped, by the agent
	Command   string    `json:"command,omitempty"`
	ToolName  string    `json:"tool_name,omitempty"`
	// Description is what the call that started it says it is for, cut at 200
	// bytes: the name that an agent gives a monitor, a subagent, a command.
	Description string    `json:"description,omitempty"`
	ToolUseID   string    `json:"tool_use_id,omitempty"`
	OutputFile  string    `json:"output_file,omitempty"`
	OpenedAt    Position  `json:"opened_at"`
	EndedAt     *Position `json:"ended_at,omitempty"`
	// WakesOwner and EndsWithTurn mirror backgroundWakesOwner and
	// backgroundEndsWithFinalResponse: whether a notification can still follow.
	WakesOwner   bool `json:"wakes_owner,omitempty"`
	EndsWithTurn bool `json:"ends_with_turn,omitempty"`
}

// HandoffState is a handoff's answer in one closing mode.
type HandoffState string

// Open defers; expired is open by the rows but outside the age rule (D-35).
const (
	HandoffOpen    HandoffState = "open"
	HandoffClosed  HandoffState = "closed"
	HandoffExpired HandoffState = "expired"
)

// HandoffStates carries both closing modes of DESIGN section 3.
type HandoffStates struct {
	AnyText HandoffState `json:"any_text"`
	Ended   HandoffState `json:"ended"`
}

// Closer tells which row closed a handoff, and whether the host itself carried it.
type Closer struct {
	Carrier string   `json:"carrier"` // user, attachment, queue-operation, system, tool_result, assistant, or the row's type
	Trusted bool     `json:"trusted"` // the host carried it: it would also close in mode ended
	Mode    string   `json:"mode"`    // any_text or ended: the first mode that this row closes
	At      Position `json:"at"`
}

// Handoff is a task whose entrance is delivered_message: a foreground command
// that the host moved to the background so that a message could be delivered.
type Handoff struct {
	TaskID     string        `json:"task_id"`
	ToolUseID  string        `json:"tool_use_id,omitempty"`
	Command    string        `json:"command,omitempty"`
	OpenedAt   Position      `json:"opened_at"`
	AgeSeconds *float64      `json:"age_seconds"` // nil when the receipt has no usable timestamp
	ExpiresAt  *time.Time    `json:"expires_at,omitempty"`
	State      HandoffStates `json:"state"`
	ClosedBy   *Closer       `json:"closed_by,omitempty"` // of mode any_text
	EndedBy    *Closer       `json:"ended_by,omitempty"`  // of mode ended
}

// Debt is background work that was launched and never collected, in two readings
// (DESIGN section 3, AC-150 to AC-158).
type Debt struct {
	// Calls folds the tool calls since the latest human prompt alone, as a loop
	// does that never sees results (TR-14).
	Calls int `json:"calls"`
	// Paired are the ids of every launch in the window whose output no successful
	// call collected, in order of launch; never nil.
	Paired []string `json:"paired"`
	// Owed are those of Paired that were launched since the latest human prompt:
	// what the present turn answers for. Never nil; no part of the facts document.
	Owed []string `json:"-"`
}

// ToolCall is one tool use of the turn with what is known of its result.
type ToolCall struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Command  string   `json:"command,omitempty"`   // shell tools, cut at 2,000 bytes
	FilePath string   `json:"file_path,omitempty"` // file tools
	At       Position `json:"at"`
	// ResultTime is the timestamp of the result row; zero while there is none.
	ResultTime time.Time `json:"result_time,omitzero"`
	Failed     bool      `json:"failed"`             // the result is an error
	Evidence   string    `json:"evidence,omitempty"` // status, task or name when it runs `stophook` for evidence
	Background bool      `json:"background,omitempty"`
	// ExitCode is known of shell calls that failed; nil for those that were
	// refused or broken off, and for those that did not fail.
	ExitCode *int `json:"exit_code,omitempty"`
	// Written is what a file tool wrote, and Replaced what an edit replaced, each
	// at most 2,000 bytes; the parts of a MultiEdit are joined by newlines. A turn
	// keeps about 64 KiB of them, those of the latest calls.
	Written  string `json:"written,omitempty"`
	Replaced string `json:"replaced,omitempty"`
	Cut      bool   `json:"cut,omitempty"` // Command, Written or Replaced was cut, or left out
}

// Box is a status box seen in assistant text.
type Box struct {
	CheckID string `json:"check_id"`
	Source  string `json:"source"` // final_text or transcript
	Offset  int64  `json:"offset"` // of the row; -1 for the payload's final text
}

// Turn is the agent's present turn (DESIGN section 3, D-52).
type Turn struct {
	Origin      string     `json:"origin"` // human, notification, unknown, or the host's origin kind
	Complete    bool       `json:"complete"`
	StartedAt   Position   `json:"started_at,omitzero"`
	Notified    []string   `json:"notified,omitempty"`    // the task ids of the notification that started it
	PromptUUID  string     `json:"prompt_uuid,omitempty"` // of the latest human prompt, the key of a remediation cycle
	PromptAt    time.Time  `json:"prompt_at,omitzero"`
	Remediation int        `json:"remediation_prompts"` // walked back over, 16 at most
	ToolCalls   int        `json:"tool_calls"`
	IsToolTurn  bool       `json:"is_tool_turn"`
	Tools       []ToolCall `json:"tools"` // the latest MaxTools, oldest first; never nil
	// LastToolAt and LastOtherToolAt are the latest instants known of any tool
	// call, and of any that is no evidence command.
	LastToolAt      time.Time `json:"last_tool_at,omitzero"`
	LastOtherToolAt time.Time `json:"last_other_tool_at,omitzero"`
	FinalText       string    `json:"final_text"`
	FinalTextSource string    `json:"final_text_source"` // payload, transcript or none
	APIError        bool      `json:"api_error"`         // the latest assistant row is the host's API error
	Boxes           []Box     `json:"boxes"`             // never nil
	// Untimed says that the rows carry no times (Cursor), so only their order can
	// tell what came before what. No part of the facts document.
	Untimed bool `json:"-"`
}

// Blind reasons say why something could not be seen; an empty list means that
// nothing was hidden (DESIGN section 3: blind is not idle).
const (
	BlindMissing      = "missing"       // no file at the path
	BlindUnreadable   = "unreadable"    // it exists and cannot be read
	BlindNoPath       = "no_path"       // the host named none
	BlindWindowCut    = "window_cut"    // the turn's start lies before the window
	BlindUnknownShape = "unknown_shape" // rows there are, and none of a known type
	BlindTooManyRows  = "too_many_rows" // the row index is full; the oldest rows are not seen
)

// Session is what the tail of one transcript tells. It is a plain value: safe to
// share once returned.
type Session struct {
	Path         string
	Size         int64
	WindowOffset int64 // where the first whole row of the window begins
	Rows         int   // JSON objects seen, request copies included
	BadLines     int   // broken, torn or padded beyond repair; see Options.Validate
	Blind        []string
	SessionID    string // as asked for, else of the file's name or last row
	Entrypoint   string // of the latest row that has one: cli, sdk-cli, ...
	Version      string // host version, likewise
	Now          time.Time
	Turn         Turn
	Tasks        []Task
	Handoffs     []Handoff
	Debt         Debt
}
