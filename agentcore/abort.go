package agentcore

import (
	"errors"
	"fmt"
	"slices"
	"sync"
)

// SafePoint is where an abort takes effect.
type SafePoint string

// Safe points (RT-5).
const (
	Now        SafePoint = "now"         // at once: the answer is broken off, running calls are cancelled
	AfterModel SafePoint = "after_model" // when the answer that comes is whole; its calls are not run
	AfterTools SafePoint = "after_tools" // when its calls have run as well
)

// ErrAborted is the cause of a run's end after Abort.
var ErrAborted = errors.New("agentcore: the run was aborted")

// Causes of a run's end that are not the caller's.
var (
	errRunOver    = errors.New("agentcore: the run is over")
	errReaderLeft = fmt.Errorf("%w: the reader of its events left", ErrAborted)
	errTimeUp     = errors.New("agentcore: the run's time is up")
	errCancelled  = errors.New("agentcore: the call was cancelled")
)

// abortRequest is what others ask of a run.
type abortRequest struct {
	mu     sync.Mutex
	point  SafePoint // empty: nothing was asked
	reason string
}

// ask remembers the earliest of the points asked for.
func (q *abortRequest) ask(point SafePoint, reason string) {
	order := []SafePoint{Now, AfterModel, AfterTools}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.point == "" || slices.Index(order, point) < slices.Index(order, q.point) {
		q.point, q.reason = point, reason
	}
}

// reached tells whether a run at a point has to end there.
func (q *abortRequest) reached(at SafePoint) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.point == at || q.point == Now || q.point == AfterModel && at == AfterTools
}

func (q *abortRequest) asked() (SafePoint, string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.point, q.reason
}

// Abort ends the present run at a safe point; background tasks and queued messages
// stay (D-06). reason is for hooks and the result, and may be empty. It returns at
// once; the run's result tells when it has ended. With no run it does nothing and
// gives false.
func (a *Agent) Abort(at SafePoint, reason string) bool {
	r := a.running()
	if r == nil {
		return false
	}
	switch at {
	case AfterModel, AfterTools:
	default:
		at = Now
	}
	r.abort.ask(at, reason)
	if at == Now {
		r.cancel(ErrAborted)
	}
	return true
}

// CancelTool ends one running call; the run goes on, and the model is told that the
// person cancelled it. One that does not end within Behavior.CancelGrace is given up. It gives false when no call of this id runs, also for calls
// of subagents: cancel their spawn.
func (a *Agent) CancelTool(callID string) bool {
	r := a.running()
	return r != nil && r.open.cancel(callID)
}

// openCalls are the calls that run now. It is asked from outside the run, and so has
// a lock.
type openCalls struct {
	mu    sync.Mutex
	calls []openCall
}

type openCall struct {
	id     string
	cancel func() // called once
	asked  bool
}

func (o *openCalls) add(id string, cancel func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.calls = append(o.calls, openCall{id: id, cancel: cancel})
}

func (o *openCalls) remove(id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.calls = slices.DeleteFunc(o.calls, func(c openCall) bool { return c.id == id })
}

func (o *openCalls) cancel(id string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i, c := range o.calls {
		if c.id != id {
			continue
		}
		if !c.asked {
			o.calls[i].asked = true
			c.cancel()
		}
		return true
	}
	return false
}
