package model

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"time"
)

// Defaults of [RetryOptions].
const (
	DefaultMaxAttempts   = 5
	DefaultBase          = time.Second
	DefaultMaxBackoff    = 30 * time.Second
	DefaultMaxRetryAfter = 2 * time.Minute
)

// RetryOptions bounds the attempts. The zero value is usable.
type RetryOptions struct {
	// MaxAttempts is how often the model is called altogether. 0:
	// [DefaultMaxAttempts]; 1: never again.
	MaxAttempts int

	// The n-th wait is at random between zero and Base·2ⁿ⁻¹, but no more than
	// MaxBackoff ("full jitter"), and never shorter than what the API asked for.
	// 0: [DefaultBase], [DefaultMaxBackoff].
	Base, MaxBackoff time.Duration

	// MaxRetryAfter is the longest wait that an API may ask for. One that asks
	// for more fails at once, with a [*WaitError]. 0: [DefaultMaxRetryAfter].
	MaxRetryAfter time.Duration

	// Jitter gives numbers in [0, 1), from any goroutine. Nil: random ones.
	Jitter func() float64

	// Sleep waits, and gives an error when ctx ends first. Nil: a timer.
	Sleep func(ctx context.Context, d time.Duration) error
}

// Restart says that a call begins anew: see [Retry].
type Restart struct {
	Attempt int           // of the call that begins now, from 2
	Wait    time.Duration // until it begins
	Err     *Error        // why; its Partial has what was used up in vain
}

// WaitError is in the chain of an [*Error] whose API asked for a longer wait
// than the caller allows.
type WaitError struct {
	Asked, Max time.Duration
}

func (e *WaitError) Error() string {
	return fmt.Sprintf("the API asks to wait %v, more than the %v allowed: call again later, or raise MaxRetryAfter", e.Asked, e.Max)
}

// Retry puts backoff around a model: a failure that is [Error.Retryable] is
// tried again, also when a part of the answer was shown already. Before each
// wait the stream yields an [Event] with Restart. Nothing is tried again once
// the context has ended, after a usage limit, or when the fault is the
// request's. The error that is given up with is the last one, with Attempts set.
func Retry(m Model, o RetryOptions) Model {
	if o.MaxAttempts <= 0 {
		o.MaxAttempts = DefaultMaxAttempts
	}
	orElse(&o.Base, DefaultBase)
	orElse(&o.MaxBackoff, DefaultMaxBackoff)
	orElse(&o.MaxRetryAfter, DefaultMaxRetryAfter)
	if o.Jitter == nil {
		o.Jitter = rand.Float64
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	return &retrier{m, o}
}

func orElse(d *time.Duration, def time.Duration) {
	if *d <= 0 {
		*d = def
	}
}

type retrier struct {
	model Model
	RetryOptions
}

func (r *retrier) Stream(ctx context.Context, req *Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for attempt := 1; ; attempt++ {
			failure, over := r.attempt(ctx, req, yield)
			if over {
				return
			}
			again := r.judge(ctx, failure, attempt)
			if again == nil {
				failed := *failure // the inner model may keep its own
				failed.Attempts = attempt
				if failure.RetryAfter > r.MaxRetryAfter && failure.Retryable() {
					failed.Err = errors.Join(failure.Err, &WaitError{failure.RetryAfter, r.MaxRetryAfter})
				}
				yield(Event{}, &failed)
				return
			}
			if !yield(Event{Restart: again}, nil) {
				return
			}
			if err := r.Sleep(ctx, again.Wait); err != nil || ctx.Err() != nil {
				aborted := Aborted(ctx, nil)
				if ctx.Err() == nil {
					aborted.Err = err
				}
				aborted.Attempts = attempt
				yield(Event{}, aborted)
				return
			}
		}
	}
}

// attempt plays one call through. It is over when the answer has come or nobody
// listens any more.
func (r *retrier) attempt(ctx context.Context, req *Request, yield func(Event, error) bool) (failure *Error, over bool) {
	if ctx.Err() != nil {
		return Aborted(ctx, nil), false
	}
	for event, err := range r.model.Stream(ctx, req) {
		if err != nil {
			return AsError(ctx, err), false
		}
		if !yield(event, nil) || event.Message != nil {
			return nil, true
		}
	}
	return noFinal(), false
}

// judge says how a failed call goes on, or nil when it does not.
func (r *retrier) judge(ctx context.Context, failure *Error, attempt int) *Restart {
	if !failure.Retryable() || ctx.Err() != nil || attempt >= r.MaxAttempts || failure.RetryAfter > r.MaxRetryAfter {
		return nil
	}
	limit := r.MaxBackoff
	if shift := attempt - 1; shift < 32 && r.Base < r.MaxBackoff>>shift {
		limit = r.Base << shift
	}
	wait := time.Duration(r.Jitter() * float64(limit))
	return &Restart{Attempt: attempt + 1, Wait: max(wait, failure.RetryAfter), Err: failure}
}

// sleep never arms a timer of nothing.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
