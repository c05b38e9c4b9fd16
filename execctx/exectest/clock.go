package exectest

import (
	"slices"
	"sync"
	"time"

	"github.com/stophook/stophook/execctx"
)

// Clock is a clock that stands still until a test moves it. Its zero value is
// not usable, see [NewClock]. All methods may be called from several goroutines
// and from callbacks of its own timers, [Clock.Advance] excepted.
type Clock struct {
	moving sync.Mutex // one Advance at a time

	mu      sync.Mutex
	wall    time.Time     // what Now gives
	elapsed time.Duration // how far timers are; never goes back
	armed   int           // counts, so that ties have an order
	pending []*clockTimer
	changed chan struct{} // closed and replaced when pending grows or shrinks
}

var _ execctx.Clock = (*Clock)(nil)

// NewClock gives a clock that shows start.
func NewClock(start time.Time) *Clock {
	return &Clock{wall: start, changed: make(chan struct{})}
}

// Now is the time of day as shown. It has no monotonic part.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.wall
}

// AfterFunc arms a timer. A d of zero or less is due at once, which is the next
// [Clock.Advance], also one by zero.
func (c *Clock) AfterFunc(d time.Duration, f func()) execctx.Timer {
	t := &clockTimer{clock: c, f: f}
	t.Reset(d)
	return t
}

// Advance moves the clock, timers and time of day, and fires what falls due on
// the way: in order, each at its own time, each in a goroutine of its own, and
// finished before the next one and before Advance returns. Timers that callbacks
// arm fire too when they are due. A callback must therefore not wait for another
// timer of this clock, nor advance it.
func (c *Clock) Advance(d time.Duration) {
	c.moving.Lock()
	defer c.moving.Unlock()
	c.mu.Lock()
	target := c.elapsed + max(d, 0)
	c.mu.Unlock()
	for {
		f := c.next(target)
		if f == nil {
			return
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			f()
		}()
		<-done
	}
}

// Set makes the time of day jump, back or ahead, as when somebody sets the
// machine's clock. Timers do not notice.
func (c *Clock) Set(wall time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wall = wall
}

// Pending counts the timers that are armed.
func (c *Clock) Pending() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.pending)
}

// AwaitPending returns when exactly n timers are armed: where other goroutines
// arm them, a test waits for that before it advances. It gives false when giveUp
// is closed first.
func (c *Clock) AwaitPending(n int, giveUp <-chan struct{}) bool {
	for {
		c.mu.Lock()
		count, changed := len(c.pending), c.changed
		c.mu.Unlock()
		if count == n {
			return true
		}
		select {
		case <-changed:
		case <-giveUp:
			return false
		}
	}
}

// next takes the first timer that is due by target and moves the time to it, or
// to target when there is none.
func (c *Clock) next(target time.Duration) func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	var first *clockTimer
	for _, t := range c.pending {
		if first == nil || t.before(first) {
			first = t
		}
	}
	if first == nil || first.at > target {
		c.moveTo(target)
		return nil
	}
	c.moveTo(first.at)
	c.remove(first)
	return first.f
}

// moveTo never goes back: a timer armed for the past fires now.
func (c *Clock) moveTo(at time.Duration) {
	if at > c.elapsed {
		c.wall = c.wall.Add(at - c.elapsed)
		c.elapsed = at
	}
}

// remove tells whether t was armed. The lock is held.
func (c *Clock) remove(t *clockTimer) bool {
	at := slices.Index(c.pending, t)
	if at < 0 {
		return false
	}
	c.pending = slices.Delete(c.pending, at, at+1)
	c.tell()
	return true
}

func (c *Clock) tell() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// clockTimer is one timer; its fields are guarded by the clock's lock.
type clockTimer struct {
	clock *Clock
	f     func()
	at    time.Duration
	order int
}

func (t *clockTimer) before(o *clockTimer) bool {
	return t.at < o.at || t.at == o.at && t.order < o.order
}

func (t *clockTimer) Stop() bool {
	t.clock.mu.Lock()
	defer t.clock.mu.Unlock()
	return t.clock.remove(t)
}

func (t *clockTimer) Reset(d time.Duration) bool {
	c := t.clock
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.remove(t)
	c.armed++
	t.at, t.order = c.elapsed+max(d, 0), c.armed
	c.pending = append(c.pending, t)
	c.tell()
	return was
}
