package policy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/stophook/stophook/internal/deepstack"
	"github.com/stophook/stophook/policy/decisionlog"
	"github.com/stophook/stophook/policy/evidence"
	"github.com/stophook/stophook/policy/hookio"
	"github.com/stophook/stophook/transcript"
	"github.com/stophook/stophook/transcript/shell"
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
	Home      string // for ~/ in the payload's transcript path
	Bypass    bool
	Shadow    bool // decide and log, carry out nothing
	Validate  bool // count every bad line of the transcript (explain)
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

// facts reads everything the input needs. What cannot be read is a fact, too.
func (g *Gate) facts(ev *hookio.Event) *Facts {
	now := g.Now()
	f := &Facts{Now: now, Event: ev, Mode: g.Mode, Entrypoint: g.Entry, Command: g.Command, Bypass: g.Bypass,
		Shadow: g.Shadow, Config: g.Config}
	switch ev.Name {
	case hookio.Stop, hookio.StopFailure:
		f.Session = g.readSession(f, now)
		g.readEvidence(f)
	default:
		// Other events are decided without the transcript: it costs more than
		// they may take, and nothing in them depends on it.
		f.Session = transcript.Unread(transcript.Options{Now: now, SessionID: ev.SessionID})
		f.Session.Path = ev.TranscriptPath
	}
	if ev.Name == hookio.PreToolUse {
		f.Tool = toolFacts(ev)
	}
	return f
}

// readSession reads the transcript. When it cannot be read, the turn cannot be
// judged, and that counts as evidence that is not available: no deferral, no
// block, and somebody is told (TR-12, CL-2, D-37).
func (g *Gate) readSession(f *Facts, now time.Time) *transcript.Session {
	path := hookio.ExpandHome(f.Event.TranscriptPath, g.Home)
	s, err := transcript.Read(path, transcript.Options{Now: now, Window: g.Config.WindowBytes,
		BoxWindow: g.Config.BoxWindowBytes, HandoffLimit: g.Config.DeferFor(), SessionID: f.Event.SessionID,
		LastAssistantMessage: f.Event.LastAssistantMessage, Validate: g.Validate})
	switch {
	case err != nil:
		f.EvidenceError = err.Error()
	case slices.Contains(s.Blind, transcript.BlindUnknownShape):
		// Without a row that is understood the turn looks like prose, and prose
		// passes: the gate would be lost in silence.
		f.EvidenceError = path + ": no row of this transcript has a type that is known; is stophook older than the host?"
	case slices.Contains(s.Blind, transcript.BlindWindowCut) && s.Turn.ToolCalls == 0:
		// The same for a turn of which nothing but its last rows is in sight.
		f.EvidenceError = fmt.Sprintf("%s: the turn began before the last %d bytes and no tool call is in them; raise window_bytes",
			path, g.Config.WindowBytes)
	}
	if f.Entrypoint == "" {
		f.Entrypoint = s.Entrypoint
		if f.Mode == hookio.ModeUnknown { // replay, or a host that sets no variables
			f.Mode, _ = hookio.Mode(func(name string) string {
				if name == "CLAUDE_CODE_ENTRYPOINT" {
					return s.Entrypoint
				}
				return ""
			})
		}
	}
	return s
}

// readEvidence reads the ledger and the state of the session.
func (g *Gate) readEvidence(f *Facts) {
	session, err := g.Store.Session(sessionID(f))
	if err == nil {
		f.Ledger, err = session.Events()
	}
	if err == nil {
		f.State, err = session.Load()
		f.stateUnknown = errors.Is(err, evidence.ErrStateUnknown)
	}
	if err != nil && f.EvidenceError == "" {
		f.EvidenceError = fmt.Sprintf("the session's evidence cannot be read: %v", err)
	}
}

// toolFacts describes the tool call of a PreToolUse event.
func toolFacts(ev *hookio.Event) map[string]any {
	input := rawObject(ev.ToolInput)
	doc := map[string]any{"name": ev.ToolName, "id": ev.ToolUseID, "input": input}
	command, ok := input["command"].(string)
	if !ok {
		command, ok = input["cmd"].(string)
	}
	if !ok {
		return doc
	}
	script := shell.ParseFor(ev.ToolName, command, shell.Options{})
	facts := map[string]any{"parsed": script.Parsed, "waits": findings(script.Waits()),
		"background": findings(script.Background())}
	put(facts, "error", script.Reason)
	doc["shell"] = facts
	return doc
}

func findings(found []shell.Finding) []any {
	return list(found, func(f shell.Finding) any {
		return map[string]any{"kind": string(f.Kind), "text": f.Text, "line": f.Line}
	})
}
