package agentcore

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/session"
	"github.com/stophook/stophook/agentcore/tool"
	"github.com/stophook/stophook/execctx"
)

// What a run that cannot begin says, and a message that cannot be sent.
var (
	ErrRunning   = errors.New("agentcore: this agent is in a run already; steer it, or wait for its result")
	ErrDestroyed = errors.New("agentcore: this agent was destroyed; make a new one on the session")
	ErrNoPrompt  = errors.New("agentcore: a run needs a prompt: the session has nothing to go on with")
	ErrBlank     = errors.New("agentcore: a message needs words: there are none in this one")
)

// Agent works on a session. Its methods may be called from any goroutine; one run
// goes on at a time.
type Agent struct {
	cfg    Config // complete, never changed
	thread *session.Thread
	tools  *tool.Registry
	specs  []model.ToolSpec
	bus    *hook.Bus
	id     string // of a subagent
	kind   string // of a subagent
	depth  int

	box        inbox
	background *background
	offer      tool.Offer

	// What follows belongs to the goroutine that runs; between runs to the next.
	begun    bool   // the session start was told
	promptID string // of the latest prompt

	edge edge
}

// edge is what others need of an agent: whether it runs, what it has cost, and what
// has to be destroyed even if its run never ends.
type edge struct {
	mu        sync.Mutex
	current   *run
	done      chan struct{} // of the current run; closed at its end
	stats     Stats
	handle    *execctx.Handle // nil: none was needed yet
	destroyed chan struct{}   // not nil once Destroy was called; closed when it is through
	err       error           // of Destroy
}

// Stats is what an agent's runs came to, subagents included. The session's own
// totals also hold the runs of earlier processes: session.Thread.Totals.
type Stats struct {
	Runs     int         `json:"runs"`
	Turns    int         `json:"turns"`
	Calls    int         `json:"tool_calls"`
	Usage    model.Usage `json:"usage"`
	CostUSD  float64     `json:"cost_usd"`
	Unpriced model.Usage `json:"unpriced,omitzero"`
}

// New makes an agent. It starts nothing: the first run does. Errors are mistakes in
// the configuration, tools with bad names or schemas among them.
func New(cfg Config) (*Agent, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	return newAgent(cfg, cfg.Session.Thread, cfg.Bus, 0)
}

func newAgent(cfg Config, thread *session.Thread, bus *hook.Bus, depth int) (*Agent, error) {
	a := &Agent{cfg: cfg, thread: thread, bus: bus, depth: depth}
	a.edge.handle = cfg.Handle
	a.background = newBackground(a, thread.Notifications())
	a.offer = cfg.offer(depth)
	tools := tool.AdaptAll(cfg.Tools, a.offer)
	if len(cfg.Subagents) > 0 {
		spawn, err := a.spawnTool()
		if err != nil {
			return nil, err
		}
		tools = append(tools[:len(tools):len(tools)], spawn)
	}
	registry, err := tool.NewRegistry(tools...)
	if err != nil {
		return nil, err
	}
	a.tools = registry.WithOptions(tool.RegistryOptions{OnPanic: func(p *tool.PanicError) {
		cfg.Warn(p.Error() + "\n" + string(p.Stack))
	}})
	for _, s := range a.tools.Specs() {
		a.specs = append(a.specs, model.ToolSpec{Name: s.Name, Description: s.Description, InputSchema: s.Schema})
	}
	a.box.load(thread.Queued())
	return a, nil
}

// RunOptions is what one run is asked for.
type RunOptions struct {
	// Prompt, or Blocks with text and images in its place. With neither, or with
	// blank text alone, the run goes on with what the session holds, or with queued
	// messages.
	Prompt string
	Blocks []model.Block
	// Behavior replaces the agent's for this run; nil: the agent's.
	Behavior *Behavior
}

// prompts tells whether there is anything to ask: a model gets no blank messages.
func (o RunOptions) prompts() bool {
	if len(o.Blocks) == 0 {
		return strings.TrimSpace(o.Prompt) != ""
	}
	return slices.ContainsFunc(o.Blocks, func(b model.Block) bool { return b.Type != model.BlockText || strings.TrimSpace(b.Text) != "" })
}

// Run works until the agent is done, and yields what happens. It begins when the
// sequence is ranged over, in the goroutine that does so. An error is the only thing
// that a run yields that could not begin: [ErrRunning], [ErrDestroyed],
// [ErrNoPrompt]. However a run goes that did begin, its last event is its
// [EventResult] and there is no error.
//
// When ctx ends, or the range is left early, the run is aborted, and what is open
// is recorded before the range ends. A sequence can be ranged over once more, which
// is another run.
func (a *Agent) Run(ctx context.Context, opts RunOptions) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		r, err := a.begin(ctx, opts, yield)
		if err != nil {
			yield(Event{}, err)
			return
		}
		defer a.end(r)
		r.work()
	}
}

// begin claims the agent for a run.
func (a *Agent) begin(ctx context.Context, opts RunOptions, yield func(Event, error) bool) (*run, error) {
	a.edge.mu.Lock()
	defer a.edge.mu.Unlock()
	switch {
	case a.edge.destroyed != nil:
		return nil, ErrDestroyed
	case a.edge.current != nil:
		return nil, ErrRunning
	}
	r := newRun(a, ctx, opts, yield)
	a.edge.current, a.edge.done = r, make(chan struct{})
	a.edge.stats.Runs++
	return r, nil
}

// end gives the agent back. It also runs when the reader's code panicked inside
// the range, so that nothing is left behind.
func (a *Agent) end(r *run) {
	r.cancel(errRunOver)
	a.edge.mu.Lock()
	defer a.edge.mu.Unlock()
	s := &a.edge.stats
	s.Turns += r.total.Turns
	s.Calls += r.total.Calls
	s.Usage = s.Usage.Add(r.total.Usage)
	s.CostUSD += r.total.CostUSD
	s.Unpriced = s.Unpriced.Add(r.total.Unpriced)
	close(a.edge.done)
	a.edge.current = nil
}

// Stats is the sum over the runs that have ended.
func (a *Agent) Stats() Stats {
	a.edge.mu.Lock()
	defer a.edge.mu.Unlock()
	return a.edge.stats
}

// Running tells whether a run goes on.
func (a *Agent) Running() bool { return a.running() != nil }

func (a *Agent) running() *run {
	a.edge.mu.Lock()
	defer a.edge.mu.Unlock()
	return a.edge.current
}

// ids is where something happens, for hooks.
func (a *Agent) ids() hook.IDs {
	return hook.IDs{SessionID: a.thread.ID(), AgentID: a.id, Depth: a.depth}
}
