package policy

import (
	"context"
	"fmt"
	"time"

	"github.com/stophook/stophook/internal/deepstack"
	"github.com/stophook/stophook/policy/decisionlog"
	"github.com/stophook/stophook/policy/evidence"
	"github.com/stophook/stophook/policy/hookio"
	"github.com/stophook/stophook/transcript"
)

// Gate decides hook events: it gathers the facts, asks Rego and carries out the
// answer. It holds no state of its own, so one Gate may serve many goroutines.
type Gate struct {
	Layers []Layer // policies, the highest layer first
	Config Config
	// ConfigErr is why the configuration could not be read; the gate then
	// decides nothing and says so.
	ConfigErr error
	Warnings  []string // of the configuration, for the log
	Store     evidence.Store
	Log       *decisionlog.Writer // nil: no decision log
	Now       func() time.Time
	Mode      string // headless, interactive or unknown; see hookio.Mode
	Entry     string
	Command   string // how the agent can call stophook
	// Source names this installation: program, plugin, arguments. A host that has
	// the hook twice runs one process of each for a stop, and the stop counts once.
	// Empty: every event is a stop of its own.
	Source   string
	Home     string // for ~/ in the payload's transcript path
	Bypass   bool
	Shadow   bool // decide and log, carry out nothing
	Validate bool // count every bad line of the transcript (explain)
	// Pause waits for a transcript that a host writes late; default time.Sleep.
	Pause func(time.Duration)
}

// Outcome is one decision with all that led to it.
type Outcome struct {
	Facts    *Facts
	Input    map[string]any
	Decision *Decision
	Failure  *Failure                 // set when a failure decided
	Problems []string                 // what could not be carried out; for stderr
	Spent    map[string]time.Duration // read, prepare, decide

	engine *Engine
	logged *decisionlog.Prepared // the input as the log will hold it
}

// Evaluate gathers the facts of an event and decides it. It changes nothing on
// disk and always returns an outcome: when policies, configuration or evidence
// fail, the outcome says so and its decision is that of the failure.
//
// The transcript is read while the policies load, and the log's copy of the input
// is written while they are asked: none of these needs the other. The engine is
// made and asked in the caller's goroutine, whose stack has grown by then.
func (g *Gate) Evaluate(ctx context.Context, ev *hookio.Event) *Outcome {
	o := &Outcome{Spent: map[string]time.Duration{}}
	var read time.Duration
	gathered := aside(func() {
		deepstack.Grow()
		began := time.Now()
		o.Facts = g.facts(ev)
		o.Input = BuildInput(o.Facts)
		read = time.Since(began)
	})
	deepstack.Grow()
	began := time.Now()
	err := firstError(g.ConfigErr, o.prepare(ctx, g, ev))
	o.Spent["prepare"] = time.Since(began)
	if fault := <-gathered; fault != nil {
		panic(fault)
	}
	o.Spent["read"] = read
	encoded := aside(func() {
		if g.Log != nil {
			o.logged = g.Log.Prepare(o.Input)
		}
	})
	began = time.Now()
	o.judge(ctx, err)
	o.Spent["decide"] = time.Since(began)
	if <-encoded != nil {
		o.logged = nil // the log encodes the input itself then, and fails where that is reported
	}
	return o
}

// prepare loads the policies; a panic in there is a policy error like another, so
// that the facts still reach the log.
func (o *Outcome) prepare(ctx context.Context, g *Gate, ev *hookio.Event) (err error) {
	defer func() {
		if v := recover(); v != nil {
			o.engine, err = nil, fmt.Errorf("internal error while policies were loaded: %v; please report it", v)
		}
	}()
	o.engine, err = NewEngine(ctx, EngineOptions{Layers: g.Layers, Event: string(ev.Name),
		RuleSettings: g.Config.ruleSettings(), Now: g.Now})
	return err
}

// judge decides, and turns a panic of the evaluation into a policy error.
func (o *Outcome) judge(ctx context.Context, broken error) {
	defer func() {
		if v := recover(); v != nil {
			f := Failure{Kind: FailurePolicy, Message: fmt.Sprintf("internal error while policies were evaluated: %v; please report it", v)}
			o.Failure, o.Decision = &f, Fallback(f)
		}
	}()
	o.decide(ctx, broken)
}

// Failed is the outcome of an event about which nothing could be gathered.
func (g *Gate) Failed(ev *hookio.Event, f Failure) *Outcome {
	now := g.Now()
	return &Outcome{Failure: &f, Decision: Fallback(f), Facts: &Facts{Now: now, Event: ev, Shadow: g.Shadow, Config: g.Config,
		Session: transcript.Unread(transcript.Options{Now: now, SessionID: ev.SessionID})}}
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// decide asks the engine, and the failure rule when it cannot answer.
func (o *Outcome) decide(ctx context.Context, broken error) {
	if broken == nil {
		d, err := o.engine.Decide(ctx, o.Input)
		if err == nil {
			o.Decision = d
			return
		}
		broken = err
	}
	o.fail(ctx, FailureOf(broken))
}

// fail lets the failure rule answer, and allows by hand when even that cannot
// be evaluated: our own failure never holds an agent.
func (o *Outcome) fail(ctx context.Context, f Failure) {
	o.Failure = &f
	if o.engine != nil {
		if d, err := o.engine.Fail(ctx, o.Input, f); err == nil {
			o.Decision = d
			return
		}
	}
	o.Decision = Fallback(f)
}
