package execctx

import "time"

// watchdog notices that a task is quiet (EX-60). Output does not touch it: the
// timer fires once per window, looks for output since it was armed, and is armed
// again for what is missing of a window since the last output. The context's
// lock guards it.
//
// How long a task has been quiet is added up from the periods of the timer. Two
// readings of the clock are compared only to place the last output within one
// period, so a clock that jumps cannot make a signal come early.
type watchdog struct {
	window time.Duration // 0: no watch
	tell   func(StallInfo)

	timer  Timer
	armed  time.Time     // when the timer was
	period time.Duration // and for how long
	quiet  time.Duration // silence before that
	seen   int64         // bytes of output until then
	told   bool          // this quiet period was
}

// watch begins with the silence at zero (D-16); the context's lock is held.
func (t *task) watch() {
	if t.stall.window > 0 {
		t.stall.seen = t.log.total.Load()
		t.arm(t.stall.window)
	}
}

// arm sets the timer; the context's lock is held.
func (t *task) arm(d time.Duration) {
	w := &t.stall
	w.armed, w.period = t.c.opts.Clock.Now(), d
	if w.timer == nil {
		w.timer = t.c.opts.Clock.AfterFunc(d, t.lookForOutput)
		return
	}
	w.timer.Reset(d)
}

// stop ends the watch for ever; the context's lock is held.
func (w *watchdog) stop() {
	if w.timer != nil {
		w.timer.Stop()
	}
	w.window, w.tell = 0, nil
}

// lookForOutput is what the timer calls.
func (t *task) lookForOutput() {
	c := t.c
	c.mu.Lock()
	w := &t.stall
	if w.window <= 0 { // the timer was faster than stop
		c.mu.Unlock()
		return
	}
	w.quiet += w.period
	if total := t.log.total.Load(); total != w.seen {
		w.seen, w.told = total, false
		missing := w.missing(t.log.quietSince(), c.opts.Clock.Now())
		w.quiet = w.window - missing
		if missing > 0 {
			t.arm(missing)
			c.mu.Unlock()
			return
		}
	}
	tell := w.tell
	if w.told {
		tell = nil
	}
	w.told = w.told || tell != nil
	info := StallInfo{
		TaskID: t.exit.TaskID, Command: t.command, OutputPath: t.log.path,
		StalledForMS: w.quiet.Milliseconds(), At: c.opts.Clock.Now(),
	}
	t.arm(w.window)
	c.mu.Unlock()
	if tell != nil {
		c.call("OnStall of "+info.TaskID, func() { tell(info) })
	}
}

// missing is how much a window of silence lacks when the last output came at
// last, in the period that is over now. Where the readings make no sense,
// because the clock was set, it is the whole window: late, never early.
func (w *watchdog) missing(last, now time.Time) time.Duration {
	if now.Sub(w.armed) < w.period {
		return w.window
	}
	after := max(last.Sub(w.armed), 0) // the output came so long after the period began
	return min(w.window-w.period+after, w.window)
}
