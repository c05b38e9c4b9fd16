package agentcore

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/session"
	"github.com/stophook/stophook/agentcore/tool"
	"github.com/stophook/stophook/internal/nearest"
)

//go:embed spawn.md
var spawnText string

// SpawnTool is the name of the tool that starts subagents.
const SpawnTool = "spawn"

// Subagent is a kind of subagent that the spawn tool offers. What is empty is the
// parent's.
type Subagent struct {
	Name string // the model names it
	Use  string // one sentence for the model: what it is for

	System    string
	ModelName string
	Model     model.Model
	Tools     []string // names of the parent's tools; nil: all of them
	MaxTurns  int      // 0: the parent's

	// ShareHandle lets it use its parent's handle of the execution context; else it
	// gets one of its own, which ends with it.
	ShareHandle bool
}

// GeneralSubagent is a subagent with the parent's model, prompt and tools.
func GeneralSubagent() Subagent {
	return Subagent{Name: "general", Use: "any part of the task, with the same tools"}
}

// spawnInput is what the model gives.
type spawnInput struct {
	Prompt      string `json:"prompt" jsonschema:"the whole task; the subagent sees nothing else"`
	Description string `json:"description,omitempty" jsonschema:"what it is for, in three to six words"`
	Type        string `json:"type,omitempty" jsonschema:"the kind of subagent"`
}

// spawnOutput is written beside the answer into the transcript, in the shape that
// the client's has.
type spawnOutput struct {
	Status            string        `json:"status"`
	Prompt            string        `json:"prompt"`
	AgentID           string        `json:"agentId"`
	AgentType         string        `json:"agentType"`
	Content           []model.Block `json:"content"`
	TotalDurationMS   int64         `json:"totalDurationMs"`
	TotalTokens       int64         `json:"totalTokens"`
	TotalToolUseCount int           `json:"totalToolUseCount"`
	Usage             model.Usage   `json:"usage"`
}

// spawnTool makes the tool. At the greatest depth there is none to offer, and a call
// that is made all the same is answered (RT-12).
func (a *Agent) spawnTool() (tool.Tool, error) {
	text := strings.TrimSpace(spawnText) + "\n\nKinds:"
	var names []any
	for _, s := range a.cfg.Subagents {
		names = append(names, s.Name)
		text += fmt.Sprintf("\n- %s: %s", s.Name, s.Use)
	}
	return tool.New(SpawnTool, text, a.spawn, tool.Parallel(), tool.Subject(tool.SubjectText, "type", a.cfg.Subagents[0].Name),
		tool.Constrain(func(s *jsonschema.Schema) { s.Properties["type"].Enum = names }))
}

// spawn runs a subagent to its end. It runs in the goroutine of the call.
func (a *Agent) spawn(ctx context.Context, tc *tool.Call, in spawnInput) (*tool.Result, error) {
	if strings.TrimSpace(in.Prompt) == "" {
		return tool.Errorf("The prompt is empty: say what the subagent shall do."), nil
	}
	if limit := a.cfg.Behavior.MaxDepth; limit >= 0 && a.depth >= limit {
		return tool.Errorf("Subagents are nested %d deep already, which is the limit. Do the work here.", a.depth), nil
	}
	kind, ok := a.subagent(in.Type)
	if !ok {
		return tool.Errorf("There is no kind of subagent %q. Kinds: %s.", in.Type, strings.Join(a.subagentNames(), ", ")), nil
	}
	c, ok := ctx.Value(callKey{}).(*call)
	if !ok {
		return nil, errors.New("agentcore: the spawn tool was called outside a run")
	}
	child, err := a.newChild(kind, in, tc)
	if err != nil {
		return tool.Errorf("The subagent could not be started: %v", err), nil
	}
	defer child.close(ctx, tc.Env)
	return child.work(ctx, c)
}

func (a *Agent) subagent(name string) (Subagent, bool) {
	if name == "" {
		return a.cfg.Subagents[0], true
	}
	for _, s := range a.cfg.Subagents {
		if s.Name == name {
			return s, true
		}
	}
	if near := nearest.Word(name, a.subagentNames()); near != "" {
		return a.subagent(near)
	}
	return Subagent{}, false
}

func (a *Agent) subagentNames() []string {
	var names []string
	for _, s := range a.cfg.Subagents {
		names = append(names, s.Name)
	}
	return names
}

// child is a subagent at work.
type child struct {
	agent  *Agent
	parent *Agent
	in     spawnInput
	kind   Subagent
}

// newChild makes a subagent: its thread, its tools, its place on the bus.
func (a *Agent) newChild(kind Subagent, in spawnInput, tc *tool.Call) (*child, error) {
	id := strings.ReplaceAll(a.cfg.NewID(), "-", "")
	if len(id) > 17 {
		id = id[:17] // as long as the client's
	}
	cfg := a.cfg
	cfg.Handle = nil
	if kind.ShareHandle {
		handle := tc.Env.Handle
		if cfg.Exec != nil {
			cfg.Handle = &handle
		}
	}
	if kind.System != "" {
		cfg.System = kind.System
	}
	if kind.Model != nil {
		cfg.Model = kind.Model
	}
	if kind.ModelName != "" {
		cfg.ModelName = kind.ModelName
	}
	if kind.MaxTurns != 0 {
		cfg.Behavior.MaxTurns = kind.MaxTurns
	}
	if kind.Tools != nil {
		cfg.Tools = slices.DeleteFunc(slices.Clone(cfg.Tools), func(t tool.Tool) bool { return !slices.Contains(kind.Tools, t.Name) })
	}
	depth := a.depth + 1
	if (cfg.Behavior.MaxDepth >= 0 && depth >= cfg.Behavior.MaxDepth) || kind.Tools != nil && !slices.Contains(kind.Tools, SpawnTool) {
		cfg.Subagents = nil
	}
	thread, err := cfg.Session.Subagent(id, session.Meta{Model: cfg.ModelName, Title: in.Description, AgentType: kind.Name})
	if err != nil {
		return nil, err
	}
	agent, err := newAgent(cfg, thread, a.bus.Child(id), depth)
	if err != nil {
		return nil, errors.Join(err, thread.Close())
	}
	agent.id, agent.kind = id, kind.Name
	return &child{agent: agent, parent: a, in: in, kind: kind}, nil
}

// work runs the child on its prompt and passes its events on.
func (ch *child) work(ctx context.Context, c *call) (*tool.Result, error) {
	a := ch.agent
	hook.Emit(ctx, ch.parent.bus, hook.SubagentStart, &hook.SubagentStartPayload{IDs: c.ids, ChildID: a.id, Type: ch.kind.Name, Prompt: ch.in.Prompt})
	c.emit(Event{Kind: EventChildStart, CallID: c.block.ID, Child: a.id, Text: ch.in.Prompt, Path: a.thread.Path(), Model: a.cfg.ModelName})
	behavior := ch.budget(c.group.run.behavior, c.spent)
	var res *Result
	for e, err := range a.Run(ctx, RunOptions{Prompt: ch.in.Prompt, Behavior: &behavior}) {
		if err != nil {
			return tool.Errorf("The subagent could not be run: %v", err), nil
		}
		if e.Kind == EventResult && e.Agent == a.id {
			res = e.Result
		}
		c.emit(e)
	}
	c.child.Store(res)
	hook.Emit(context.WithoutCancel(ctx), ch.parent.bus, hook.SubagentEnd, &hook.SubagentEndPayload{IDs: c.ids, ChildID: a.id, Text: res.Text,
		Totals: res.Usage, Turns: res.Turns, Elapsed: res.Elapsed, Err: res.Err})
	usage := res.Usage
	c.emit(Event{Kind: EventChildEnd, CallID: c.block.ID, Child: a.id, Text: res.Text, Usage: &usage, Elapsed: res.Elapsed, IsError: res.End != EndCompleted})
	return ch.answer(ctx, res), nil
}

// budget is what is left of the parent's: subagents that run beside each other each
// get all of it.
func (ch *child) budget(own Behavior, spent Result) Behavior {
	b := own // what the run was asked for holds for its subagents
	if ch.kind.MaxTurns != 0 {
		b.MaxTurns = ch.kind.MaxTurns
	}
	if limit := own.MaxTotalTokens; limit > 0 {
		b.MaxTotalTokens = max(limit-spent.Usage.Total(), 1)
	}
	if limit := own.MaxCostUSD; limit > 0 {
		b.MaxCostUSD = max(limit-spent.CostUSD, 1e-9)
	}
	b.MaxDuration = 0                       // the parent's context ends it
	b.CancelGrace = own.CancelGrace * 3 / 4 // it gives its calls up before it is given up itself, and can still say what it cost
	return b
}

// answer is what the parent's model reads.
func (ch *child) answer(ctx context.Context, res *Result) *tool.Result {
	out := &tool.Result{Text: res.Text, Structured: spawnOutput{Status: string(res.End), Prompt: ch.in.Prompt, AgentID: ch.agent.id,
		AgentType: ch.kind.Name, Content: []model.Block{model.Text(res.Text)}, TotalDurationMS: res.Elapsed.Milliseconds(),
		TotalTokens: res.Usage.Total(), TotalToolUseCount: res.Calls, Usage: res.Usage}}
	switch {
	case res.End == EndCompleted && res.Text == "":
		out.Text = "The subagent ended without a message."
	case res.End == EndAborted:
		out.IsError, out.Aborted = true, ctx.Err() != nil
		out.Text = strings.TrimSpace("The subagent was aborted. " + res.Text)
	case res.End != EndCompleted:
		out.IsError = true
		out.Text = fmt.Sprintf("The subagent did not finish (%s: %s). Its last message: %s", res.End, res.Reason, orNone(res.Text))
	}
	return out
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

// close ends what the child holds, also when it failed or was aborted (AC-95).
// Its tasks have a new owner first.
func (ch *child) close(ctx context.Context, env *tool.Env) {
	ch.bequeath(context.WithoutCancel(ctx), env)
	if err := ch.agent.Destroy(context.WithoutCancel(ctx)); err != nil {
		ch.parent.cfg.Warn(fmt.Sprintf("subagent %s: %v", ch.agent.id, err))
	}
	if err := ch.agent.thread.Close(); err != nil {
		ch.parent.cfg.Warn(fmt.Sprintf("subagent %s: close its transcript: %v", ch.agent.id, err))
	}
}
