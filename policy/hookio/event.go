package hookio

import (
	"encoding/json"
	"os"
	"strings"
	"time"
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
	Host Host // as detected, or as the caller said
	// Name is the event under Claude Code's name for it, whatever the host calls
	// it: Stop for AfterAgent, agentStop and stop. An event that has no such name
	// keeps its own; empty when the payload has none and nothing else tells.
	Name EventName
	// HostEvent is the name as the host sent it; empty when it sent none.
	HostEvent string

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

	// Timestamp is when the host says that it called; zero when it does not say.
	Timestamp time.Time
	// Status is how the loop ended: completed, aborted or error. Cursor only.
	Status string
	// LoopCount is how many follow-ups of hooks came before. Cursor only; nil: not said.
	LoopCount *int

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

// CanBlock says whether [Encode] has a block for this event on this host. That is
// Stop alone, by whatever name, where the host obeys or at least prompts again:
// hosts would also hold a subagent, which is never ours to hold, and read no answer
// at StopFailure and SessionEnd. A nil event cannot be blocked.
func (e *Event) CanBlock() bool {
	return e != nil && codecFor(e.Host).blockable(e)
}

// CanDeny says whether [Encode] has a [Deny] for this event on this host.
func (e *Event) CanDeny() bool {
	return e != nil && codecFor(e.Host).deniable(e)
}

// ShowsMessage says whether the host shows a message of [Answer.WithMessage] beside
// an Allow of this event to anybody. Where it does not, Encode leaves it out.
func (e *Event) ShowsMessage() bool {
	if e == nil {
		return true
	}
	out, err := Encode(e, Answer{message: "x"}, StyleDecision)
	return err == nil && len(out) > 0
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
