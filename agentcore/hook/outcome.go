package hook

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/stophook/stophook/policy/hookio"
)

// Outcome is what all hooks of one call say together. Texts of several hooks stand in
// the order of the settings files.
type Outcome struct {
	// Block: Stop and SubagentStop go on with Reason; a prompt is not sent; of a
	// PostToolUse the model reads Reason beside the result. At PreToolUse it comes
	// with Permission deny.
	Block  bool
	Reason string // what the model reads; joined with blank lines

	// Feedback: all blocks of a stop came as feedback, which is shown as such and
	// not as an error.
	Feedback bool

	// Continue is false when a hook ends the whole run, which beats Block; nil
	// when no hook says so. StopReason is for the person.
	Continue   *bool
	StopReason string

	SystemMessages []string // for the person
	// Context is for the model, a text of each hook that gave one. At Stop and
	// SubagentStop it stands in Reason already, with Block.
	Context []string

	// Permission of PreToolUse: deny beats ask beats allow; empty when no hook
	// decides. Its reasons are of the hooks that said just this.
	Permission       hookio.Permission
	PermissionReason string
	// UpdatedInput replaces the call's input; nil: it stays. Of several hooks the
	// last one counts. Ignored with a deny.
	UpdatedInput json.RawMessage

	SuppressOutput bool // all hooks that printed something ask for it; for a verbose display

	// Failures are hooks that gave no answer. The person has to see them.
	Failures []Failure

	// Results are the hooks one by one.
	Results []Result
}

// Stopped tells whether a hook ends the whole run.
func (o *Outcome) Stopped() bool { return o.Continue != nil && !*o.Continue }

// Failure is a hook that gave no answer.
type Failure struct {
	Event   hookio.EventName
	Command string // as it stands in the settings
	File    string // settings file
	Line    int    // in it, from 1; 0: unknown
	Problem string // one sentence
	Err     error  // what the system said; may be nil
}

func (f *Failure) Error() string {
	return fmt.Sprintf("%s hook [%s] (%s) decided nothing: %s", f.Event, f.Command, place(f.File, f.Line), f.Problem)
}

func (f *Failure) Unwrap() error { return f.Err }

// Result is one hook of a call.
type Result struct {
	Command  string
	Reply    hookio.Reply // of a Failure nothing but its Fault; texts as the outcome has them
	ExitCode int          // -1: ended by a signal, or never started
	Duration time.Duration
	Stdout   string // bounded
	Stderr   string // bounded
	Failure  *Failure
}

func place(file string, line int) string {
	if line > 0 {
		return fmt.Sprintf("%s:%d", file, line)
	}
	return file
}
