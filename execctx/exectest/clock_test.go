package exectest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func dawn() time.Time { return time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC) }

func TestClock_firesInOrder(t *testing.T) {
	clock := NewClock(dawn())
	var got []string
	note := func(name string) func() {
		return func() { got = append(got, name+" "+clock.Now().Sub(dawn()).String()) }
	}
	clock.AfterFunc(2*time.Second, note("b"))
	clock.AfterFunc(time.Second, func() {
		note("a")()
		clock.AfterFunc(time.Second, note("d: armed last, so after c"))
		clock.AfterFunc(0, note("at once"))
	})
	clock.AfterFunc(2*time.Second, note("c"))
	clock.AfterFunc(3*time.Second+1, note("too late"))
	clock.Advance(3 * time.Second)
	want := []string{"a 1s", "at once 1s", "b 2s", "c 2s", "d: armed last, so after c 2s"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fired (-want +got):\n%s", diff)
	}
	if n := clock.Pending(); n != 1 {
		t.Errorf("%d timers left, want 1", n)
	}
	if now := clock.Now(); !now.Equal(dawn().Add(3 * time.Second)) {
		t.Errorf("now %v", now)
	}
}

func TestClock_stopAndReset(t *testing.T) {
	clock := NewClock(dawn())
	fired := 0
	timer := clock.AfterFunc(time.Second, func() { fired++ })
	if !timer.Stop() || timer.Stop() {
		t.Error("the first Stop prevents the call, the second has nothing to prevent")
	}
	clock.Advance(time.Minute)
	if timer.Reset(time.Second) {
		t.Error("Reset of a stopped timer says that it was armed")
	}
	if !timer.Reset(2 * time.Second) {
		t.Error("Reset of an armed timer says that it was not")
	}
	clock.Advance(time.Second)
	if fired != 0 {
		t.Error("fired at the time before the Reset")
	}
	clock.Advance(time.Second)
	if fired != 1 || timer.Stop() {
		t.Errorf("fired %d times, want 1, and nothing left to stop", fired)
	}
}

func TestClock_setDoesNotMoveTimers(t *testing.T) {
	clock := NewClock(dawn())
	var at time.Time
	clock.AfterFunc(time.Minute, func() { at = clock.Now() })
	back := dawn().Add(-24 * time.Hour)
	clock.Set(back)
	clock.Advance(59 * time.Second)
	if !at.IsZero() {
		t.Fatal("a jump of the wall clock fired a timer")
	}
	clock.Advance(time.Second)
	if !at.Equal(back.Add(time.Minute)) {
		t.Errorf("fired at %v, want a minute after the jump's time", at)
	}
}

func TestClock_awaitPending(t *testing.T) {
	clock := NewClock(dawn())
	go func() {
		clock.AfterFunc(time.Second, func() {})
		clock.AfterFunc(time.Second, func() {})
	}()
	if !clock.AwaitPending(2, t.Context().Done()) {
		t.Fatal("two timers were armed and not seen")
	}
	gaveUp := make(chan struct{})
	close(gaveUp)
	if clock.AwaitPending(3, gaveUp) {
		t.Error("saw a third timer")
	}
}

// However time is cut into steps, the same timers fire at the same times.
func TestClock_stepsDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		delays := rapid.SliceOf(rapid.IntRange(0, 50)).Draw(t, "delays")
		steps := rapid.SliceOf(rapid.IntRange(0, 20)).Draw(t, "steps")
		run := func(steps []int) (fired []string) {
			clock := NewClock(dawn())
			for _, d := range delays {
				clock.AfterFunc(time.Duration(d), func() { fired = append(fired, clock.Now().String()) })
			}
			for _, d := range steps {
				clock.Advance(time.Duration(d))
			}
			return fired
		}
		total := 0
		for _, d := range steps {
			total += d
		}
		if len(steps) == 0 {
			steps = []int{0}
		}
		if diff := cmp.Diff(run([]int{total}), run(steps)); diff != "" {
			t.Fatalf("one step and %v differ:\n%s", steps, diff)
		}
	})
}
