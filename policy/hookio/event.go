package hookio

import (
	"encoding/json"
	"os"
	"strings"
)

// EventName is the point in the host's life at which the hook was called.
type EventName string

// The events this project answers. Any other name is kept as it was sent.
const (
	Stop             EventName = "Stop"             // the agent wants to end its turn
	SubagentStop     EventName = "SubagentStop"     // a subagent ended
	StopFailure      EventName = "StopFailure"      // the turn died of an API error; output is ignored
	SessionStart     EventName = "SessionStart"     // startup, resume, clear, compact, fork
	SessionEnd       EventName = "SessionEnd"       // nothing can be held here
	PreToolUse       EventName = "PreToolUse"       // a tool call is about to run
	PostToolUse      EventName = "PostToolUse"      // a tool call ran
	UserPromptSubmit EventName = "UserPromptSubmit" // a person, or a notification, prompted
)

// Event is one hook call as the host described it (claude-code section 3).
//
// A string that was absent, null or of another type is empty, except where a
// pointer keeps absent apart from empty. What was of another type is in Odd.
type Event struct {
	Host Host      // as detected, or as the caller said
	Name EventName // hook_event_name; empty when the payload has none

	SessionID      string
	TranscriptPath string // as sent: see [ExpandHome]
	CWD            string
	PromptID       string // key of the human prompt; Claude Code 2.1.196 and later
	PermissionMode string

	StopHookActive       *bool   // nil: the host did not say
	LastAssistantMessage *string // nil: the host did not say. The final text of the turn

	// BackgroundTasks is the host's own registry of work in flight. Nil means
	// that the host could not tell (absent, null, no list); an empty list means
	// that nothing runs, unless TasksSkipped says that entries were unreadable.
	BackgroundTasks *[]BackgroundTask
	TasksSkipped    int             // entries that were no object with a non-empty string id
	SessionCrons    json.RawMessage // the list as sent; nil when absent or no list

	AgentID             string // set inside a subagent only
	AgentType           string
	AgentTranscriptPath string // the file may not exist

	ToolName  string
	ToolInput json.RawMessage // any JSON value as sent; nil when absent or null
	ToolUseID string

	Prompt string // UserPromptSubmit
	Source string // SessionStart: startup, resume, clear, compact, fork
	Error  string // StopFailure: rate_limit, overloaded, ...

	// Odd names every field that was there with a type we cannot read, one
	// sentence each, in the payload's order. For logs and warnings.
	Odd []string

	// Raw is the whole payload as one JSON object in valid UTF-8 without marks
	// or padding, with every field we do not know.
	Raw json.RawMessage
}

// CanBlock says whether [Encode] has a block for this event on this host. For
// Claude Code that is Stop alone: the host would also hold a subagent, which is
// never ours to hold, and reads no answer at StopFailure and SessionEnd. A nil
// event cannot be blocked.
func (e *Event) CanBlock() bool {
	return e != nil && codecFor(e.Host).blockable(e.Name)
}

// ExpandHome replaces a leading "~/" with home, as some hosts shorten the
// transcript's path. Without a home, or without that start, path is returned as
// it is. Which variable holds the home directory is the caller's affair.
func ExpandHome(path, home string) string {
	if home == "" || !strings.HasPrefix(path, "~/") {
		return path
	}
	for home != "" && os.IsPathSeparator(home[len(home)-1]) {
		home = home[:len(home)-1]
	}
	return home + path[1:]
}
