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
	out   chan Event    // what calls and subagents show
	done  chan *call    // never blocks
	over  chan struct{} // nobody reads any more

	finished []bool
	left     int // calls that have not ended
	recorded int
	end      *ending // the first one that a call brought
	broken   bool    // the session cannot be written
}

func newGroup(r *run, n int) *group {
	return &group{run: r, out: make(chan Event), done: make(chan *call, n), over: make(chan struct{}), finished: make([]bool, n), left: n}
}

// collect shows what comes, records results in the order of the calls, and gives up
// calls that do not end although they were cancelled.
func (g *group) collect() *ending {
	r := g.run
	var grace <-chan time.Time
	ended := r.ctx.Done()
	for g.left > 0 {
		select {
		case e := <-g.out:
			r.emit(e)
		case c := <-g.done:
			g.left--
			g.finished[c.index] = true
			g.flush()
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

// flush records the results that are next in order.
func (g *group) flush() {
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

// giveUp answers for calls that did not end in time. Their goroutines end by
// themselves, or never; what they bring is dropped.
func (g *group) giveUp() *ending {
	r := g.run
	for ; g.recorded < len(g.calls); g.recorded++ {
		c := g.calls[g.recorded]
		if !g.finished[g.recorded] {
			r.warn("%s did not end within %s after it was cancelled; it was given up and may still be at work", c.block.Name, r.behavior.CancelGrace)
			now := r.a.cfg.Now()
			c = &call{group: g, block: c.block, input: c.block.InputObject(), ids: c.ids, started: now, ended: now, state: hook.CallCancelled,
				result: &tool.Result{Text: "The call was cancelled and did not end in time; it may still be at work.", IsError: true, Aborted: true}}
		}
		g.take(c)
	}
	if g.end != nil {
		return g.end
	}
	return r.interruption(true)
}
