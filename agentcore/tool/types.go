package tool

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/stophook/stophook/execctx"
)

// Tool is one thing that a model can do. It is a value: wrapping one means
// copying it and replacing Run.
type Tool struct {
	Name        string // letters, digits, _ and -, at most 64
	Description string
	Schema      json.RawMessage // JSON Schema of the input, type object

	// ReadOnly tools change nothing; permission modes treat them alike.
	ReadOnly bool
	// Edits is a tool that changes files, each of them checked by Paths, and
	// nothing else: what [ModeAcceptEdits] allows.
	Edits bool
	// Parallel tools may run beside each other. Results keep the calls' order.
	Parallel bool

	// Subject is what permission rules match: the command, the path. Nil: none.
	Subject func(input json.RawMessage) string
	// SubjectKind says what Subject gives, and so how rules match it.
	SubjectKind SubjectKind

	// MaxOutput is how much of a result's text is kept, in bytes; 0: what the
	// registry says, negative: all of it.
	MaxOutput int

	// Run does it. The input is valid by Schema. ctx ends when the call is
	// cancelled. An error ends the run; what the model should hear is a Result
	// with IsError.
	Run func(ctx context.Context, call *Call) (*Result, error)

	// Adapt gives the tool as an agent offers it, or false when it has no place
	// there; agents use [AdaptAll]. It never changes the tool itself. Nil: the tool
	// is as it is, whatever the agent can do (AC-3). A copy with a text, a schema or
	// a work of its own clears it.
	Adapt func(Offer) (Tool, bool)
}

// SubjectKind says what the subject of a tool's call is.
type SubjectKind int

// A subject is a plain word, a command line of the shell, or a path.
const (
	SubjectText SubjectKind = iota
	SubjectCommand
	SubjectPath
)

// Call is one use of a tool.
type Call struct {
	ID    string // of the tool_use block
	Name  string
	Input json.RawMessage
	Env   *Env

	// Offer is what the tool was adapted to; see [AdaptAll]. Nil: it was not.
	Offer *Offer
}

// Env is what a session lends its tools.
type Env struct {
	SessionID string
	Exec      execctx.ExecutionContext
	Handle    execctx.Handle
	Paths     *Paths // nil: everything below the handle's working directory
	TasksDir  string // output of background tasks; empty: no background work
	// Tasks is the agent's background work. Nil: none; a call that asks for it all
	// the same is an error, never a foreground run (AC-4).
	Tasks Tasks
}

// Result is what a call came to.
type Result struct {
	Text    string
	IsError bool
	// Structured is written beside the text into the transcript
	// (toolUseResult), as JSON. Nil: the text.
	Structured any
	// StopTurn ends the run after the results are recorded.
	StopTurn bool

	// Aborted is a call that ended because ctx did; IsError is set as well.
	Aborted bool
	// Panic is set when the tool panicked; the model is told that the tool failed.
	Panic *PanicError
	// Cut is what the output bound took out of Text.
	Cut Cut
}

// Errorf is a result that tells the model what went wrong.
func Errorf(format string, args ...any) *Result {
	return &Result{Text: fmt.Sprintf(format, args...), IsError: true}
}
