package tool

import (
	"context"
	"errors"
	"fmt"
)

// NameError is a tool's name that cannot be, or is there twice.
type NameError struct {
	Name      string
	Duplicate bool
}

func (e *NameError) Error() string {
	if e.Duplicate {
		return fmt.Sprintf("there are two tools with the name %q: rename one, or leave it out", e.Name)
	}
	return fmt.Sprintf("%q is no name for a tool: use 1 to 64 letters, digits, _ and -", e.Name)
}

// SchemaError is a tool whose input schema is not valid.
type SchemaError struct {
	Tool string
	Err  error
}

func (e *SchemaError) Error() string { return fmt.Sprintf("tool %s: input schema: %v", e.Tool, e.Err) }

func (e *SchemaError) Unwrap() error { return e.Err }

// PanicError is a tool that panicked. The model hears that it failed and sees
// nothing of this.
type PanicError struct {
	Tool   string
	CallID string
	Value  any
	Stack  []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("tool %s panicked: %v", e.Tool, e.Value) }

// Unwrap gives the value when it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Aborted is the result of a call that ctx ended; started tells whether the tool
// had begun. A deadline is told apart from a person who interrupts.
func Aborted(ctx context.Context, started bool) *Result {
	why := "aborted by the user"
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		why = "aborted because the time for it ran out"
	}
	what := "before it began: nothing was done."
	if started {
		what = "while it ran: a part of the work may be done."
	}
	return &Result{Text: fmt.Sprintf("The call was %s, %s", why, what), IsError: true, Aborted: true}
}
