// Package exchange is one request to an API that answers with a stream of
// events: what the adapters of agentcore/model have in common.
//
// # Where to start
//
// An [Exchange] is filled by an adapter and run once. Send makes the request
// with the adapter's SDK, [Answer] puts the message together, Explain reads the
// API's form of an error.
//
// # What the caller decides
//
// How long the line may be silent, the clock, and which texts are secret.
//
// # What is promised
//
// Run yields deltas and then either one final message or one [*model.Error],
// whatever bytes come. It starts no goroutine, and when it returns the body is
// closed. It ends at once when the context does. Secrets are in no error.
package exchange

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/stophook/stophook/agentcore/model"
)

// DefaultIdleTimeout is how long a line may be silent. APIs send pings far more
// often than that.
const DefaultIdleTimeout = 5 * time.Minute

// Source gives the events of a body, as the decoders of the SDKs do.
type Source interface {
	Next() bool
	Event() (name string, data []byte)
	Err() error
	Close() error
}

// Answer puts a message together.
type Answer interface {
	// Take reads one event. It returns the whole message when the event was the
	// last one. emit is false when nobody listens any more; Take may go on.
	Take(name string, data []byte, emit func(model.Event) bool) (*model.Message, error)

	// Partial is what has come so far, see [model.Error]; nil when nothing has.
	Partial() *model.Message
}

// Middleware sees a request and its response; both SDKs take such functions.
type Middleware = func(*http.Request, func(*http.Request) (*http.Response, error)) (*http.Response, error)

// Exchange is one request and its answer.
type Exchange struct {
	// Idle is how long to wait for the next byte, or for the answer to begin;
	// 0 is [DefaultIdleTimeout], negative is forever. Time that the consumer
	// takes does not count.
	Idle time.Duration

	Now     func() time.Time // nil: time.Now
	Secrets []string         // never in an error

	// Send makes the request, with the middleware around the transport, and
	// returns the decoder of the body.
	Send func(ctx context.Context, around Middleware) (Source, error)

	// Explain reads the body of an answer that is no stream.
	Explain func(status int, body []byte, header http.Header, now time.Time) *model.Error

	Answer Answer
}

// Run makes the request and yields what comes of it.
func (x Exchange) Run(ctx context.Context, yield func(model.Event, error) bool) {
	if ctx.Err() != nil {
		yield(model.Event{}, model.Aborted(ctx, nil))
		return
	}
	if x.Now == nil {
		x.Now = time.Now
	}
	if x.Idle == 0 {
		x.Idle = DefaultIdleTimeout
	}
	line := newLine(ctx, x.Idle)
	defer line.hangUp()

	left := false // the consumer
	emit := func(e model.Event) bool {
		if !left {
			left = !yield(e, nil)
		}
		return !left
	}
	final, err := x.talk(line, emit, &left)
	line.hangUp() // before the consumer takes its time with the last event
	switch {
	case left:
	case final == nil:
		yield(model.Event{}, x.failure(ctx, line, err))
	default:
		yield(model.Event{Message: final}, nil)
	}
}

// talk gives the whole message, or nothing: with the error that was the reason,
// with none when the body just ended or the consumer has left.
func (x Exchange) talk(line *line, emit func(model.Event) bool, left *bool) (*model.Message, error) {
	source, err := x.Send(line.ctx, line.around)
	if source != nil {
		defer source.Close()
	}
	switch {
	case line.refusal != nil:
		return nil, x.explain(line.refusal)
	case err != nil:
		return nil, err
	case source == nil:
		return nil, errors.New("the transport gave no body")
	}
	for source.Next() {
		name, data := source.Event()
		final, err := x.Answer.Take(name, data, emit)
		if *left || err != nil || final != nil {
			return final, err
		}
	}
	return nil, source.Err()
}

func (x Exchange) explain(r *refusal) *model.Error {
	if r.status >= 300 && r.status < 400 {
		return &model.Error{Kind: model.KindInvalid, Status: r.status,
			Message: fmt.Sprintf("the API answers with a redirect to %q, which is not followed because it would take the key along: set the base URL to where the API is", r.header.Get("Location"))}
	}
	return x.Explain(r.status, r.body, r.header, x.Now())
}

// failure makes an error of the contract out of what ended the exchange. A nil
// err is a body that just ended.
func (x Exchange) failure(ctx context.Context, line *line, err error) *model.Error {
	partial := x.Answer.Partial()
	var failed *model.Error
	switch {
	case ctx.Err() != nil:
		return model.Aborted(ctx, partial)
	case errors.As(err, &failed):
	case line.silent():
		failed = &model.Error{Kind: model.KindNetwork, Message: fmt.Sprintf("nothing came for %s", x.Idle), Err: context.Cause(line.ctx)}
		if partial != nil {
			failed.Kind = model.KindIncomplete
		}
	default:
		failed = model.Broken(ctx, err, partial)
		if failed.Message == "" && err == nil {
			failed.Message = "the answer ended before it began"
		}
	}
	failed.Partial = partial
	if failed.RequestID == "" {
		failed.RequestID = requestID(line.header)
	}
	return x.scrub(failed)
}

func requestID(h http.Header) string {
	if id := h.Get("Request-Id"); id != "" {
		return id
	}
	return h.Get("X-Request-Id")
}
