package policy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/open-policy-agent/opa/v1/topdown/print"
)

// DefaultEvalTimeout bounds one evaluation when the options do not.
const DefaultEvalTimeout = 2 * time.Second

// A RuleSetting is what the configuration says about a rule; empty fields leave
// it as its METADATA say.
type RuleSetting struct {
	Severity string // block, warn, observe or off
	Fail     string // open or closed
}

// EngineOptions say what an engine evaluates. The zero value is the built-in
// layer alone, for Stop.
type EngineOptions struct {
	// Layers are the overlays in the order org, user, project, --policy folders.
	// The built-in layer is always there, before them.
	Layers []Layer
	// Event is the hook event that the engine is for, as the host names it;
	// default Stop. Only rules whose METADATA name it are compiled.
	Event string
	// RuleSettings are those of the input document's config.rules: a rule that is
	// off there is not compiled, and names that no rule has become warnings.
	RuleSettings map[string]RuleSetting
	// Now is the clock of evaluations; default time.Now. Policies cannot read it:
	// their time is input.now.
	Now func() time.Time
	// EvalTimeout bounds one evaluation; default [DefaultEvalTimeout].
	EvalTimeout time.Duration
	// Print receives what print() in overlays writes; nil drops it.
	Print func(file string, line int, text string)
	// Tracer sees every step of evaluations, for coverage; nil, as in the hook,
	// costs nothing. It must be safe for concurrent use when the engine is used so.
	Tracer topdown.QueryTracer

	fromSources bool // tests: compile the built-in layer instead of reading its compiled form
}

// An Engine is a set of compiled policies for one event. It is immutable and
// safe for concurrent use.
type Engine struct {
	opts     EngineOptions
	rules    []*RuleMeta
	known    map[string]*RuleMeta
	layerOf  func(string) string
	compiler *ast.Compiler
	store    storage.Store
	loadErr  error
}

// NewEngine loads, checks and compiles the policies.
//
// Faults in policies are [PolicyErrors]. The engine is then not nil: it cannot
// [Engine.Decide], and [Engine.Fail] answers with what the readable layers say.
func NewEngine(ctx context.Context, opts EngineOptions) (*Engine, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if opts.Event == "" {
		opts.Event = "Stop"
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.EvalTimeout <= 0 {
		opts.EvalTimeout = DefaultEvalTimeout
	}
	e := &Engine{opts: opts, layerOf: func(string) string { return LayerBuiltin }}
	metas, modules, err := loadBuiltin(e.wants, opts.fromSources)
	if err != nil {
		return nil, fmt.Errorf("built-in policies: %w", err)
	}
	o := &overlays{}
	if len(opts.Layers) > 0 {
		o = loadOverlays(opts.Layers, metas)
		e.layerOf = o.layerOf
	}
	e.rules = append(metas, o.metas...)
	e.known = make(map[string]*RuleMeta, len(e.rules))
	for _, m := range e.rules {
		e.known[m.Name] = m
	}
	e.store = e.data()
	if e.compiler, e.loadErr = e.compile(modules, o); e.loadErr != nil {
		only := map[string]*ast.Module{mainFile: modules[mainFile]}
		if e.compiler, err = e.compile(only, &overlays{}); err != nil {
			return nil, fmt.Errorf("built-in policies: %w", errors.Join(err, e.loadErr))
		}
	}
	return e, e.loadErr
}

// Rules lists every rule and deferral of all layers, for all events, by layer,
// order and name: what `stophook check` shows and the brief is made of.
func (e *Engine) Rules() []RuleMeta {
	list := make([]RuleMeta, len(e.rules))
	for i, m := range e.rules {
		list[i] = *m
	}
	slices.SortFunc(list, func(a, b RuleMeta) int {
		return cmp.Or(a.Layer-b.Layer, a.Order-b.Order, cmp.Compare(a.Name, b.Name))
	})
	return list
}

// Decide evaluates the policies over an input document (stophook.input/v1) and
// never changes it. A fault of a policy is [PolicyErrors], a document for another event
// [ErrEvent]; neither is a verdict: pass it to [FailureOf] and [Engine.Fail].
func (e *Engine) Decide(ctx context.Context, input map[string]any) (*Decision, error) {
	if e.loadErr != nil {
		return nil, e.loadErr
	}
	if event := inputEvent(input); event != e.opts.Event {
		return nil, fmt.Errorf("%w: input is for %q, engine for %q", ErrEvent, event, e.opts.Event)
	}
	return e.eval(ctx, "decision", input)
}

// Fail asks the policies what a failure means: an allow that says so, or a
// counted block when a rule fails closed. It works on engines that did not load,
// and also when ctx has ended.
func (e *Engine) Fail(ctx context.Context, input map[string]any, f Failure) (*Decision, error) {
	in := maps.Clone(input)
	if in == nil {
		in = map[string]any{}
	}
	in["failure"] = f.document()
	return e.eval(context.WithoutCancel(ctx), "on_failure", in)
}

func inputEvent(input map[string]any) string {
	host, _ := input["host"].(map[string]any)
	event, _ := host["event"].(string)
	return event
}

// wants reports whether a rule has to be compiled for the engine's event.
func (e *Engine) wants(m *RuleMeta) bool {
	return m.For(e.opts.Event) && e.opts.RuleSettings[m.Name].Severity != "off"
}

func (e *Engine) eval(ctx context.Context, rule string, input map[string]any) (*Decision, error) {
	ctx, stop := context.WithTimeout(ctx, e.opts.EvalTimeout)
	defer stop()
	cancel := topdown.NewCancel()
	defer context.AfterFunc(ctx, cancel.Cancel)()
	txn, err := e.store.NewTransaction(ctx)
	if err != nil {
		return nil, err
	}
	defer e.store.Abort(ctx, txn)

	answer := ast.Var("answer")
	ref := ast.Ref{ast.DefaultRootDocument, ast.StringTerm("stophook"), ast.StringTerm("main"), ast.StringTerm(rule)}
	q := topdown.NewQuery(ast.NewBody(ast.Equality.Expr(ast.NewTerm(answer), ast.NewTerm(ref)))).
		WithCompiler(e.compiler).WithStore(e.store).WithTransaction(txn).
		WithInput(ast.NewTerm(ast.LazyObject(input))).
		WithTime(e.opts.Now()).WithCancel(cancel).WithStrictBuiltinErrors(true)
	if e.opts.Print != nil {
		q = q.WithPrintHook(printHook(e.opts.Print))
	}
	if e.opts.Tracer != nil {
		q = q.WithQueryTracer(e.opts.Tracer)
	}
	results, err := q.Run(ctx)
	if err != nil {
		return nil, e.evalError(ctx, err)
	}
	if len(results) != 1 {
		return nil, PolicyErrors{{File: mainFile, Layer: LayerBuiltin, Message: "the policies gave no answer to " + rule}}
	}
	d, faults, err := decodeDecision(results[0][answer].Value)
	if err != nil {
		return nil, PolicyErrors{{File: mainFile, Layer: LayerBuiltin, Message: "the policies gave an answer of the wrong shape: " + err.Error()}}
	}
	if len(faults) > 0 {
		return nil, e.faultErrors(faults)
	}
	return d, nil
}

func (e *Engine) evalError(ctx context.Context, err error) error {
	errs := fromOPA(err, e.layerOf)
	if topdown.IsCancel(err) {
		if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return ctx.Err()
		}
		errs[0].Message = fmt.Sprintf("the evaluation took longer than %v and was stopped", e.opts.EvalTimeout)
		errs[0].Hint = "look for a rule that goes through too many combinations"
	}
	return errs
}

func (e *Engine) faultErrors(faults []ruleFault) error {
	var errs PolicyErrors
	for _, f := range faults {
		p := &PolicyError{Message: f.message, Layer: LayerBuiltin}
		if m := e.known[f.rule]; m != nil {
			p.File, p.Line, p.Layer = m.File, m.Line, m.LayerName
			p.Message = m.what() + ": " + f.message
		}
		errs = append(errs, p)
	}
	return errs
}

// printHook adapts a func to OPA's interface.
type printHook func(file string, line int, text string)

func (h printHook) Print(c print.Context, text string) error {
	var file string
	var line int
	if c.Location != nil {
		file, line = c.Location.File, c.Location.Row
	}
	h(file, line, text)
	return nil
}
