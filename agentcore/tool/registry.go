package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
)

// Spec is a tool as the model is told of it.
type Spec struct {
	Name        string
	Description string
	Schema      json.RawMessage
}

// RegistryOptions sets up how a registry runs its tools. The zero value is
// usable.
type RegistryOptions struct {
	// Limits bounds the text of each result.
	Limits Limits
	// OnPanic is told of a tool that panicked; nil: slog.Default gets it. It may
	// be called by several goroutines at once.
	OnPanic func(*PanicError)
}

// Registry is the tools that a session offers, in order. It never changes and
// may be used by several goroutines at once.
type Registry struct {
	tools  []Tool
	index  map[string]*entry
	opts   RegistryOptions
	frozen []Spec
}

// entry is a tool with what is made of its schema once.
type entry struct {
	tool   Tool
	schema *inputSchema
}

// NewRegistry collects tools. Error: [*NameError] for a bad name or one that is
// there twice, [*SchemaError] for a schema that is none.
func NewRegistry(tools ...Tool) (*Registry, error) {
	r := &Registry{index: map[string]*entry{}}
	for _, t := range tools {
		if r.index[t.Name] != nil {
			return nil, &NameError{Name: t.Name, Duplicate: true}
		}
		e, err := compile(t)
		if err != nil {
			return nil, err
		}
		r.add(e)
	}
	return r, nil
}

func (r *Registry) add(e *entry) {
	r.tools = append(r.tools, e.tool)
	r.frozen = append(r.frozen, Spec{Name: e.tool.Name, Description: e.tool.Description, Schema: e.tool.Schema})
	r.index[e.tool.Name] = e
}

// compile checks a tool and prepares its schema.
func compile(t Tool) (*entry, error) {
	if !validName(t.Name) {
		return nil, &NameError{Name: t.Name}
	}
	if t.Run == nil {
		return nil, fmt.Errorf("tool %s has no Run function", t.Name)
	}
	schema, err := newInputSchema(t.Schema)
	if err != nil {
		return nil, &SchemaError{Tool: t.Name, Err: err}
	}
	return &entry{tool: t, schema: schema}, nil
}

// Get finds a tool by its exact name.
func (r *Registry) Get(name string) (Tool, bool) {
	e := r.index[name]
	if e == nil {
		return Tool{}, false
	}
	return e.tool, true
}

// Tools gives the tools in order.
func (r *Registry) Tools() []Tool { return slices.Clone(r.tools) }

// Names gives the names in order.
func (r *Registry) Names() []string {
	names := make([]string, len(r.tools))
	for i, t := range r.tools {
		names[i] = t.Name
	}
	return names
}

// Specs gives what the model is told, in order.
func (r *Registry) Specs() []Spec { return slices.Clone(r.frozen) }

// With is the registry with more tools behind its own. A tool of a name that is
// there already takes its place. Errors as of [NewRegistry], also for a name
// that is twice among those given.
func (r *Registry) With(tools ...Tool) (*Registry, error) {
	more, err := NewRegistry(tools...)
	if err != nil {
		return nil, err
	}
	n := &Registry{index: map[string]*entry{}, opts: r.opts}
	for _, t := range r.tools {
		e := r.index[t.Name]
		if by := more.index[t.Name]; by != nil {
			e = by
		}
		n.add(e)
	}
	for _, t := range more.tools {
		if n.index[t.Name] == nil {
			n.add(more.index[t.Name])
		}
	}
	return n, nil
}

// Without is the registry without the tools of these names; names that are not
// there do not matter.
func (r *Registry) Without(names ...string) *Registry {
	n := &Registry{index: map[string]*entry{}, opts: r.opts}
	for _, t := range r.tools {
		if !slices.Contains(names, t.Name) {
			n.add(r.index[t.Name])
		}
	}
	return n
}

// WithOptions is the registry with other options.
func (r *Registry) WithOptions(opts RegistryOptions) *Registry {
	n := *r
	n.opts = opts
	return &n
}

// Validate tells whether the input of a call is good: nil, or the error result
// that the model should get. Run does it as well; a caller that asks a gate or a
// hook first does it before, so that nobody is asked about a call that cannot be.
func (r *Registry) Validate(call *Call) *Result {
	_, _, bad := r.checked(call)
	return bad
}

// checked finds the tool of a call and the input that it gets, or the error
// result that the model gets.
func (r *Registry) checked(call *Call) (*entry, json.RawMessage, *Result) {
	e := r.index[call.Name]
	if e == nil {
		return nil, nil, r.unknown(call.Name)
	}
	input, problems := e.schema.check(call.Input)
	if len(problems) > 0 {
		return nil, nil, invalidInput(e, problems)
	}
	return e, input, nil
}

// Run validates a call and runs it. The result is never nil without an error,
// its text is bounded and safe to print. An unknown tool, bad input, a panic and
// an end of ctx are error results; an error is one of the tool itself, and ends
// the run.
//
// The goroutine is the caller's: Run returns when the tool does. A tool that
// returns its own result although ctx ended keeps it.
func (r *Registry) Run(ctx context.Context, call *Call) (*Result, error) {
	e, input, bad := r.checked(call)
	if bad != nil {
		return bad, nil
	}
	if ctx.Err() != nil {
		return Aborted(ctx, false), nil
	}
	own := *call // the caller's stays as it is
	own.Input = input
	if own.Env == nil {
		own.Env = &Env{}
	}
	res, err := r.guarded(ctx, e, &own)
	if err != nil {
		if ctx.Err() != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx))) {
			return Aborted(ctx, true), nil
		}
		return nil, err
	}
	if res == nil {
		res = &Result{}
	}
	return r.bounded(e, res), nil
}

// guarded runs a tool and turns a panic into a result and a report.
func (r *Registry) guarded(ctx context.Context, e *entry, call *Call) (res *Result, err error) {
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		failure := &PanicError{Tool: call.Name, CallID: call.ID, Value: v, Stack: debug.Stack()}
		r.report(failure)
		res, err = Errorf("%s failed: an internal error of the tool, which is not your fault and has been reported. "+
			"It may have done a part of its work: look before you call it again, or go on in another way.", call.Name), nil
		res.Panic = failure
	}()
	return e.tool.Run(ctx, call)
}

func (r *Registry) report(p *PanicError) {
	if r.opts.OnPanic == nil {
		slog.Default().Error("tool panicked", "tool", p.Tool, "call", p.CallID, "panic", fmt.Sprint(p.Value), "stack", string(p.Stack))
		return
	}
	defer func() { _ = recover() }() // a reporter must not do what it reports
	r.opts.OnPanic(p)
}

// bounded gives the result with its text made safe and cut. The tool's own
// value stays as it is: it may keep it.
func (r *Registry) bounded(e *entry, res *Result) *Result {
	limits := r.opts.Limits
	if e.tool.MaxOutput != 0 {
		limits.Bytes = e.tool.MaxOutput
	}
	out := *res
	var cut Cut
	out.Text, cut = Bound(res.Text, limits)
	out.Cut.Bytes += cut.Bytes
	out.Cut.Lines += cut.Lines
	return &out
}
