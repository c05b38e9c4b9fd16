package model

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Kind says what a failure is, whatever the API calls it.
type Kind string

// Kinds of failure. Those that trying again can mend are named in
// [Error.Retryable].
const (
	KindRateLimited    Kind = "rate_limited"     // 429: too fast; RetryAfter may say how long
	KindUsageLimit     Kind = "usage_limit"      // the account's allowance is used up until ResetAt
	KindOverloaded     Kind = "overloaded"       // 529, 503
	KindServer         Kind = "server"           // other 5xx, and 408 and 409
	KindNetwork        Kind = "network"          // no answer, or the connection broke before one
	KindIncomplete     Kind = "incomplete"       // the stream ended before its final event
	KindAuth           Kind = "auth"             // 401, 403
	KindInvalid        Kind = "invalid_request"  // other 4xx: the request is at fault
	KindContextTooLong Kind = "context_too_long" // the conversation does not fit any more
	KindAborted        Kind = "aborted"          // the caller's context ended; Err is its cause
)

// Error is every failure of a model.
type Error struct {
	Kind       Kind
	Status     int           // of HTTP; 0 for an error inside a stream or without an answer
	Type       string        // the API's own word, as in overloaded_error
	Message    string        // the API's text
	RequestID  string        // for support
	RetryAfter time.Duration // asked for by the API; 0: not said
	ResetAt    time.Time     // of a usage limit; zero: not said
	Err        error         // underneath, may be nil
	Attempts   int           // how often it was tried, when [Retry] gave up; else 0

	// Partial is what had come of an answer when its stream broke, failed or was
	// aborted; nil when nothing had. It holds the text so far, also of a text
	// block that was not finished, and of the other blocks only the finished
	// ones: half a tool call must not run, and thinking without its signature
	// does not go back to a model. Its Usage is what the API had reported up to
	// then and is paid for: totals add it. Its StopReason is empty.
	Partial *Message
}

// Aborted is the failure of a call whose context has ended. The cause is found
// with errors.Is and errors.As.
func Aborted(ctx context.Context, partial *Message) *Error {
	return &Error{Kind: KindAborted, Err: context.Cause(ctx), Partial: partial}
}

// Broken is the failure of a call whose connection failed with err (io.EOF or
// nil: the stream just ended): aborted when ctx has ended, network when no
// answer had begun (partial is nil), incomplete else.
func Broken(ctx context.Context, err error, partial *Message) *Error {
	switch {
	case ctx.Err() != nil:
		return Aborted(ctx, partial)
	case partial == nil:
		return &Error{Kind: KindNetwork, Err: err}
	}
	return &Error{Kind: KindIncomplete, Message: "the stream ended before its final event", Err: err, Partial: partial}
}

// AsError gives the [*Error] in err's chain, or wraps err: as aborted when ctx
// has ended, as a failure of the network else.
func AsError(ctx context.Context, err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return Broken(ctx, err, nil)
}

func noFinal() *Error {
	return &Error{Kind: KindIncomplete, Message: "the stream ended without its final message"}
}

// PartialOf gives the Partial of an [*Error] in err's chain, or nil.
func PartialOf(err error) *Message {
	var e *Error
	if errors.As(err, &e) {
		return e.Partial
	}
	return nil
}

func (e *Error) Error() string {
	text := "model: " + string(e.Kind)
	if e.Status != 0 {
		text += fmt.Sprintf(" (HTTP %d)", e.Status)
	}
	if e.Message != "" {
		text += ": " + e.Message
	} else if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	var wait *WaitError
	if e.Message != "" && errors.As(e.Err, &wait) {
		text += ": " + wait.Error()
	}
	if e.Attempts > 1 {
		text += fmt.Sprintf(" (tried %d times)", e.Attempts)
	}
	if e.RequestID != "" {
		text += " [request " + e.RequestID + "]"
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

// Retryable tells whether the same request may succeed later.
func (e *Error) Retryable() bool {
	switch e.Kind {
	case KindRateLimited, KindOverloaded, KindServer, KindNetwork, KindIncomplete:
		return true
	}
	return false
}
