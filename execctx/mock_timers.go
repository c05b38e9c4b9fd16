package execctx

import (
	"time"
)

// mockTimers runs what is due later. Under the system's clock, a bubble's
// included, two timers of one instant fire in no order; so each gets an instant
// of its own. Other clocks are asked for exactly the time: an Advance by it must
// reach it, and they have an order.
//
// No timer is for at once either: in a bubble such a timer runs in the goroutine
// that made it, and two at a time crash the race detector (go.dev/issue/78156).
type mockTimers struct {
	clock  Clock
	spread bool
	taken  map[int64]bool // Unix nanoseconds that are spoken for
}

// after calls f in a goroutine of the clock, with nothing locked. The lock of
// the mock's state is held by the caller.
func (t *mockTimers) after(s *mockState, d time.Duration, f func()) *mockTimer {
	timer := &mockTimer{owner: t}
	wait := t.claim(timer, d)
	timer.timer = t.clock.AfterFunc(wait, func() {
		s.mu.Lock()
		delete(t.taken, timer.at)
		s.mu.Unlock()
		f()
	})
	return timer
}

func (t *mockTimers) claim(timer *mockTimer, d time.Duration) time.Duration {
	d = max(d, 0)
	if !t.spread {
		return d
	}
	now := t.clock.Now().UnixNano()
	for d++; t.taken[now+int64(d)]; d++ {
	}
	timer.at = now + int64(d)
	t.taken[timer.at] = true
	return d
}

// mockTimer is one of them; the lock of the state guards it.
type mockTimer struct {
	owner *mockTimers
	timer Timer
	at    int64
}

func (t *mockTimer) stop() {
	if t != nil && t.timer.Stop() {
		delete(t.owner.taken, t.at)
	}
}

// reset arms it anew, whether or not it has fired.
func (t *mockTimer) reset(d time.Duration) {
	t.stop()
	t.timer.Reset(t.owner.claim(t, d))
}
