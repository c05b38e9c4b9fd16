package agentcore

import (
	"time"

	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/agentcore/tool"
)

// group is some calls that run beside each other. It belongs to the run's goroutine;
// the calls' goroutines send to its channels and read nothing else of it.
type group struct {
	run   *run
	calls []*call
	// prompt is the id of the prompt that the calls answer: a call that was given up
	// may ask for it when the agent's own belongs to a later run.
	prompt string
	out    chan shown    // what calls and subagents show
	done   chan *call    // never blocks
	over   chan struct{} // nobody reads any more

	cancelled chan *call // by the person, once each; never blocks
	overdue   chan *call // cancelled, and their time to return is up; never blocks

	finished []bool
	left     int // calls that have not ended
	recorded int
	end      *ending // the first one that a call brought
	broken   bool    // the session cannot be written
}

// shown is an event of a call.
type shown struct {
	call  *call
	event Event
}

func newGroup(r *run, n int) *group {
	return &group{run: r, prompt: r.a.promptID, out: make(chan shown), done: make(chan *call, n), over: make(chan struct{}),
		cancelled: make(chan *call, n), overdue: make(chan *call, n), finished: make([]bool, n), left: n}
}

// collect shows what comes, records results in the order of the calls, and gives up
// calls that do not end although they were cancelled.
func (g *group) collect() *ending {
	r := g.run
	var grace <-chan time.Time
	ended := r.ctx.Done()
	for g.left > 0 {
		select {
		case s := <-g.out:
			if g.calls[s.call.index] == s.call { // else it was given up
				r.emit(s.event)
			}
		case c := <-g.done:
			g.finish(c)
		case c := <-g.cancelled:
			timer := time.AfterFunc(r.behavior.CancelGrace, func() { g.overdue <- c })
			defer timer.Stop()
		case c := <-g.overdue:
			g.finish(g.abandoned(c))
		case <-ended:
			ended = nil
			timer := time.NewTimer(r.behavior.CancelGrace)
			defer timer.Stop()
			grace = timer.C
		case <-grace:
			return g.giveUp()
		}
	}
	return g.end
}

// finish takes a call that has ended, and records the results that are next in order.
func (g *group) finish(c *call) {
	if c == nil || g.finished[c.index] {
		return
	}
	g.run.open.remove(c.block.ID)
	g.calls[c.index], g.finished[c.index] = c, true
	g.left--
	for g.recorded < len(g.calls) && g.finished[g.recorded] {
		g.take(g.calls[g.recorded])
		g.recorded++
	}
}

func (g *group) take(c *call) {
	if g.broken {
		return
	}
	end := g.run.finish(c)
	if end == nil {
		return
	}
	if end.end == EndFailed && c.fatal == nil {
		g.broken, g.end = true, end
		g.run.cancel(end.err) // the others need not go on
		return
	}
	if g.end == nil {
		g.end = end
	}
}

// abandoned stands for a call that did not end in time; nil when it has. Its
// goroutine ends by itself, or never; what it brings is dropped.
func (g *group) abandoned(c *call) *call {
	if g.finished[c.index] {
		return nil
	}
	c.dropped.Store(true)
	r := g.run
	r.warn("%s did not end within %s after it was cancelled; it was given up and may still be at work", c.block.Name, r.behavior.CancelGrace)
	now := r.a.cfg.Now()
	stand := &call{group: g, index: c.index, block: c.block, input: c.block.InputObject(), ids: c.ids, started: now, ended: now, state: hook.CallCancelled,
		result: &tool.Result{Text: "The call was cancelled and did not end in time; it may still be at work.", IsError: true, Aborted: true}}
	stand.child.Store(c.child.Load())
	return stand
}

// giveUp answers for all calls that did not end in time.
func (g *group) giveUp() *ending {
	for _, c := range g.calls {
		g.finish(g.abandoned(c))
	}
	if g.end != nil {
		return g.end
	}
	return g.run.interruption(true)
}
