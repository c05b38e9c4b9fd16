package exectest

import (
	"slices"
	"time"

	"github.com/stophook/stophook/execctx"
)

func stallChecks() []check {
	push := []need{needLaunch, needPush}
	return []check{
		{"EX-60, EX-61, D-16: silence from the start on is told once", push, checkStallOnce},
		{"EX-60: fresh output and new silence are told again", push, checkStallAgain},
		{"EX-60: a stall does not touch the task", append(slices.Clone(push), needList), checkStallHarmless},
		{"EX-60: nothing is told without a window", push, checkStallOff},
		{"EX-61: output in time is not told", push, checkStallInTime},
		{"EX-62: a terminated task never stalls", push, checkStallEnded},
		{"EX-62, D-12: the watchdog moves with the task", append(slices.Clone(push), needReassign), checkStallReassigned},
	}
}

const stallWindow = 20 * time.Millisecond

func window(d time.Duration) func(*execctx.LaunchRequest) {
	return func(r *execctx.LaunchRequest) { r.StallTimeout = d }
}

func (e *env) awaitStalls(t *told, n int) {
	e.Helper()
	e.until("the stall is told", func() bool { return len(t.stallList()) >= n })
	e.pause(4 * stallWindow)
	if got := t.stallList(); len(got) != n {
		e.Errorf("%d stalls were told, want %d: %+v", len(got), n, got)
	}
}

func checkStallOnce(e *env) {
	h := e.spawn()
	t := e.launch(h, sleepLong, window(stallWindow))
	e.awaitStalls(t.told, 1)
	stall := t.told.stallList()[0]
	if stall.TaskID != t.TaskID || stall.Command != sleepLong || stall.OutputPath != t.OutputPath ||
		stall.StalledForMS < stallWindow.Milliseconds() || stall.At.Before(t.StartedAt) {
		e.Errorf("told %+v of %+v", stall, t.Launched)
	}
}

func checkStallAgain(e *env) {
	h := e.spawn()
	t := e.launch(h, awaitGoEnd, window(stallWindow))
	e.awaitStalls(t.told, 1)
	e.touch(h, goFile)
	e.awaitLog(h, t.OutputPath, "fresh\n")
	e.awaitStalls(t.told, 2)
	e.touch(h, endFile)
	e.ended(t)
}

func checkStallHarmless(e *env) {
	h := e.spawn()
	t := e.launch(h, awaitGo, window(stallWindow))
	e.awaitStalls(t.told, 1)
	if entry, _ := e.entry(h, t.TaskID); entry.Status != execctx.StatusRunning {
		e.Errorf("the task is %s", entry.Status)
	}
	e.touch(h, goFile)
	e.wantEnd(e.ended(t), execctx.StatusExited, 0, "")
}

func checkStallOff(e *env) {
	h := e.spawn()
	t := e.launch(h, sleepLong)
	e.pause(2 * stallWindow)
	if stalls := t.told.stallList(); len(stalls) > 0 {
		e.Errorf("told %v", stalls)
	}
}

func checkStallInTime(e *env) {
	h := e.spawn()
	// Far longer than the pauses of the command, so that a busy machine does
	// not make a stall of one.
	t := e.launch(h, ticks, window(e.Patience/4))
	e.ended(t)
	if stalls := t.told.stallList(); len(stalls) > 0 {
		e.Errorf("told %v", stalls)
	}
}

func checkStallEnded(e *env) {
	h := e.spawn()
	// The window is longer than the command lasts, and passes after its end.
	const late = 300 * time.Millisecond
	exited := e.launch(h, succeed, window(late))
	e.ended(exited)
	tasks := []task{exited}
	if e.lacks(needKill) == "" {
		killed := e.launch(h, sleepLong, window(late))
		e.kill(killed)
		tasks = append(tasks, killed)
	}
	before := make([]int, len(tasks)) // told while it ran, on a very busy machine
	for i, t := range tasks {
		before[i] = len(t.told.stallList())
	}
	e.pause(late + 2*checkPause)
	for i, t := range tasks {
		if stalls := t.told.stallList(); len(stalls) > before[i] {
			e.Errorf("%s has ended and stalled: %v", t.TaskID, stalls)
		}
	}
}

func checkStallReassigned(e *env) {
	a, b := e.spawn(), e.spawn()
	t := e.launch(a, awaitGoEnd, window(stallWindow))
	e.awaitStalls(t.told, 1)
	now := &told{}
	e.reassign(a, b, now)
	e.touch(a, goFile)
	e.awaitStalls(now, 1)
	if stalls := t.told.stallList(); len(stalls) != 1 {
		e.Errorf("the old owner was told %v", stalls)
	}
	e.touch(a, endFile)
}
