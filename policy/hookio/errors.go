package hookio

import (
	"errors"
	"fmt"
)

// Sentinels of this package; test for them with [errors.Is].
var (
	// ErrEmpty says that stdin held nothing but marks, NUL bytes and space.
	ErrEmpty = errors.New("stdin: empty; this program is started by an agent's host, which writes the hook payload to it: run it from a hook, or pipe a payload in")
	// ErrTooLarge says that stdin held more than the limit given to [Read].
	ErrTooLarge = errors.New("payload too large")
	// ErrCannotBlock says that a [Block] or [Deny] has no legal form for this
	// event on this host. Nothing was encoded: the stop or the tool call passes.
	ErrCannotBlock = errors.New("this event cannot be blocked")
	// ErrNoContext says that a [Context] has no legal form for this event.
	ErrNoContext = errors.New("this event takes no context")
	// ErrUnknownHost says that a host name given by the user is none of ours.
	ErrUnknownHost = errors.New("unknown host")
	// ErrNoEnvFile says that the host named no environment file.
	ErrNoEnvFile = errors.New("no environment file: CLAUDE_ENV_FILE is empty, only a SessionStart hook gets it")
	// ErrEnvVar says that a variable cannot be written as one shell line.
	ErrEnvVar = errors.New("variable cannot be exported")
)

// DecodeError says where stdin stopped being one JSON object.
type DecodeError struct {
	Offset int64  // byte in stdin as it was received, counted from 0
	Line   int    // line in stdin, counted from 1
	Reason string // what stands there, and what would be right
}

// Error names the place, the reason and the next step.
func (e *DecodeError) Error() string {
	return fmt.Sprintf("stdin: line %d, byte %d: %s; a hook payload is one JSON object: check what stands between the host and this program (a wrapper script, echo, a redirect)",
		e.Line, e.Offset, e.Reason)
}
