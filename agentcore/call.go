package agentcore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/session"
	"github.com/stophook/stophook/agentcore/tool"
	"github.com/stophook/stophook/policy/hookio"
)

// call is one use of a tool. Its goroutine fills it and hands it over by group.done;
// from then on the run's goroutine owns it.
type call struct {
	group  *group
	index  int
	block  model.Block
	ids    hook.IDs
	turn   int
	env    *tool.Env
	spent  Result // by the run, before this group
	ctx    context.Context
	cancel context.CancelCauseFunc

	input          json.RawMessage // as the tool gets it
	result         *tool.Result
	state          hook.CallState
	started, ended time.Time
	contexts       []session.HookContext
	notices        []notice
	child          atomic.Pointer[Result] // of a subagent, for the run also when it gives the call up
	fatal          error                  // ends the run
	hookEnd        *ending                // a hook ends the run
	dropped        atomic.Bool            // the run gave it up: nobody is told any more of what it does
}

type notice struct{ event, text string }

// callKey finds the call that a tool's context belongs to.
type callKey struct{}

// work is the goroutine of a call.
func (c *call) work() {
	a := c.agent()
	c.started = a.cfg.Now()
	defer func() {
		if v := recover(); v != nil { // of a gate's caller or a hook's: tools have their own guard
			c.state, c.result = hook.CallFailed, tool.Errorf("The call failed inside the agent: %v", v)
		}
		if c.result == nil { // a tool or a hook ended this goroutine (runtime.Goexit)
			c.state, c.result = hook.CallFailed, tool.Errorf("The call failed inside the agent.")
		}
		c.ended = a.cfg.Now()
		c.cancel(nil)
		c.group.done <- c
	}()
	if refusal := c.admit(); refusal != nil {
		if c.result = refusal; c.state == hook.CallRefused && c.ctx.Err() != nil { // who was asked may not have answered
			c.state, c.result = hook.CallCancelled, c.aborted(tool.Aborted(c.ctx, false))
		}
		return
	}
	if c.dropped.Load() {
		return
	}
	if c.run(); c.dropped.Load() {
		return
	}
	c.transform()
	c.after()
}

func (c *call) agent() *Agent { return c.group.run.a }

// emit shows something while the call goes on. What comes after the run was given
// up is dropped.
func (c *call) emit(e Event) {
	if e.Run == "" {
		r := c.group.run
		e.Session, e.Run, e.Agent, e.Depth, e.Turn = c.ids.SessionID, r.id, c.ids.AgentID, c.ids.Depth, c.turn
	}
	select {
	case c.group.out <- shown{c, e}:
	case <-c.group.over:
	}
}

// warn shows the error of somebody who was asked, unless the call's end is all of it.
func (c *call) warn(err error) {
	if err != nil && c.ctx.Err() == nil {
		c.emit(Event{Kind: EventWarning, Text: err.Error()})
	}
}

// run runs the tool.
func (c *call) run() {
	a := c.agent()
	hook.Emit(c.ctx, a.bus, hook.ToolBefore, &hook.ToolBeforePayload{IDs: c.ids, Name: c.block.Name, Input: c.input, Start: c.started})
	c.emit(Event{Kind: EventToolStart, CallID: c.block.ID, Tool: c.block.Name, Input: c.input})
	ctx := context.WithValue(c.ctx, callKey{}, c)
	res, err := a.tools.Run(ctx, &tool.Call{ID: c.block.ID, Name: c.block.Name, Input: c.input, Env: c.env})
	switch {
	case err != nil:
		c.state, c.fatal = hook.CallFailed, err
		c.result = tool.Errorf("%s failed: %v. The run ends.", c.block.Name, err)
		hook.Emit(c.ctx, a.bus, hook.ToolError, &hook.ToolErrorPayload{IDs: c.ids, Name: c.block.Name, Input: c.input, Err: err})
	case res.Panic != nil:
		c.state, c.result = hook.CallFailed, res
		hook.Emit(c.ctx, a.bus, hook.ToolError, &hook.ToolErrorPayload{IDs: c.ids, Name: c.block.Name, Input: c.input, Err: res.Panic})
	case res.Aborted:
		c.state, c.result = hook.CallCancelled, c.aborted(res)
	default:
		c.state, c.result = hook.CallRan, res
	}
}

// aborted says who ended the call: the person this one, the run's time, or an abort.
// What the tool has to say itself, such as output so far, stays.
func (c *call) aborted(res *tool.Result) *tool.Result {
	out := *res
	out.IsError = true
	why := ""
	switch cause := context.Cause(c.ctx); {
	case errors.Is(cause, errCancelled):
		why = textUserStop
	case errors.Is(cause, errTimeUp):
		why = textTimeUp
	}
	own := res.Text != tool.Aborted(c.ctx, true).Text && res.Text != tool.Aborted(c.ctx, false).Text
	switch {
	case why != "" && own:
		out.Text = why + "\n" + res.Text
	case why != "":
		out.Text = why
	}
	return &out
}

// transform lets the bus change what the model reads.
func (c *call) transform() {
	a := c.agent()
	if !hook.Listens(a.bus, hook.ToolTransform) {
		return
	}
	p := &hook.ToolTransformPayload{IDs: c.ids, Name: c.block.Name, Input: c.input, Result: c.result.Text, IsError: c.result.IsError}
	hook.Emit(c.ctx, a.bus, hook.ToolTransform, p)
	out := *c.result
	out.Text, out.IsError = p.Result, p.IsError
	c.result = &out
}

// after runs the PostToolUse hooks of a call that ran.
func (c *call) after() {
	a := c.agent()
	if c.state != hook.CallRan || !a.cfg.Commands.Has(hookio.PostToolUse) {
		return
	}
	ms := a.cfg.Now().Sub(c.started).Milliseconds()
	var response json.RawMessage
	if c.result.Structured != nil {
		response, _ = json.Marshal(c.result.Structured) // what cannot be encoded is told as text
	}
	if response == nil {
		response, _ = json.Marshal(c.result.Text)
	}
	out := c.hooks(hookio.Payload{Event: hookio.PostToolUse, ToolName: c.block.Name, ToolInput: c.input, ToolUseID: c.block.ID,
		ToolResponse: response, DurationMS: &ms})
	texts := out.Context
	if out.Block {
		texts = append([]string{fmt.Sprintf("A hook says about this call: %s", out.Reason)}, texts...)
	}
	if len(texts) > 0 {
		c.contexts = append(c.contexts, session.HookContext{Event: string(hookio.PostToolUse),
			HookName: string(hookio.PostToolUse) + ":" + c.block.Name, ToolUseID: c.block.ID, Texts: texts})
	}
}

// hooks runs command hooks from a call's goroutine: what has to be recorded waits
// for the run's.
func (c *call) hooks(p hookio.Payload) hook.Outcome {
	p.PromptID = c.group.prompt
	out, seen := c.agent().runCommands(c.ctx, p)
	for _, e := range seen {
		if e.Kind == EventNotice {
			c.notices = append(c.notices, notice{string(p.Event), e.Text})
		}
		c.emit(e)
	}
	if p.Event == hookio.PreToolUse && len(out.Context) > 0 {
		c.contexts = append(c.contexts, session.HookContext{Event: string(p.Event), ToolUseID: c.block.ID, Texts: out.Context})
	}
	if out.Stopped() {
		c.hookEnd = &ending{end: EndHook, reason: out.StopReason}
	}
	return out
}
