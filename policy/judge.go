package policy

import (
	"context"
	"time"

	"github.com/stophook/stophook/policy/evidence"
	"github.com/stophook/stophook/policy/hookio"
	"github.com/stophook/stophook/transcript"
)

// Moment is one stop with everything that the gate would have read for it. Session
// is never nil; it is blind when SessionErr says why it could not be read.
type Moment struct {
	Event       *hookio.Event
	Now         time.Time
	Session     *transcript.Session
	SessionErr  error
	Ledger      evidence.Log
	State       evidence.State
	EvidenceErr error // why ledger or state could not be read
}

// Judge is a gate that decides many stops with one engine, from moments that
// somebody else has gathered: the heart of a replay. It decides as the gate does,
// by the same code, and neither reads nor writes a file. It is immutable and safe
// for concurrent use.
type Judge struct {
	gate   Gate
	engine *Engine
	err    error
}

// Judge prepares the gate's engine for Stop events. Policies or a configuration
// that do not load are no error here: every decision is then that of the failure,
// as in the hook, and [Judge.Err] says why.
func (g *Gate) Judge(ctx context.Context) *Judge {
	j := &Judge{gate: *g}
	var o Outcome
	err := o.prepare(ctx, g, &hookio.Event{Name: hookio.Stop})
	j.engine, j.err = o.engine, firstError(g.ConfigErr, err)
	return j
}

// Err is why nothing can be judged: the configuration, or faults of the policies
// ([PolicyErrors]); nil when all is well.
func (j *Judge) Err() error { return j.err }

// Rules lists every rule and deferral that the engine knows, as [Engine.Rules]
// does; nil when there is no engine.
func (j *Judge) Rules() []RuleMeta {
	if j.engine == nil {
		return nil
	}
	return j.engine.Rules()
}

// SessionOptions are how the gate would read the transcript of a stop.
func (j *Judge) SessionOptions(ev *hookio.Event, now time.Time) transcript.Options {
	return j.gate.sessionOptions(ev, now)
}

// Decide judges one stop. Like [Gate.Evaluate] it always returns an outcome.
// [Outcome.CarryInto] then does what the decision asks for.
func (j *Judge) Decide(ctx context.Context, m Moment) *Outcome {
	o := &Outcome{Facts: j.gate.factsOf(m), engine: j.engine}
	o.Input = BuildInput(o.Facts)
	o.judge(ctx, j.err)
	return o
}
