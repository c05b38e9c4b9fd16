package execctx

import "time"

// Clock is the time as a context sees it. Durations come from readings of Now
// that carry a monotonic part where the clock has one.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f in its own goroutine once d has passed.
	AfterFunc(d time.Duration, f func()) Timer
}

// Timer is a pending call of [Clock].AfterFunc.
type Timer interface {
	// Stop prevents the call; false when it was already made or stopped.
	Stop() bool
	// Reset arms the timer anew, as time.Timer does.
	Reset(d time.Duration) bool
}

// SystemClock is the machine's time. In a bubble of testing/synctest it is the
// bubble's.
type SystemClock struct{}

// Now is time.Now.
func (SystemClock) Now() time.Time { return time.Now() }

// AfterFunc is time.AfterFunc.
func (SystemClock) AfterFunc(d time.Duration, f func()) Timer { return time.AfterFunc(d, f) }
