package agentcore

import (
	"context"
	"fmt"

	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/session"
)

// What the model reads of calls that did not run.
const (
	textRefused  = "Not run: the answer was a refusal."
	textFull     = "Not run: the conversation does not fit the model any more."
	textCut      = "Not run: your message was cut at the limit on output before this call was whole. Make it shorter, or split the work into several calls."
	textAborted  = "Not run: the user aborted the run before this call began."
	textSkipped  = "Not run: the user sent a message in the meantime. Read it first; call the tool again if it is still needed."
	textNoTime   = "Not run: the run's time was up."
	textStopped  = "Not run: an earlier call ended the run."
	textUserStop = "The user cancelled this call; a part of its work may be done."
	textTimeUp   = "The run's time was up while this call ran; a part of its work may be done."
)

// runCalls runs the calls of a message, in order, those that may beside each other
// (RT-2), and answers every one (RT-3).
func (r *run) runCalls(m *model.Message, calls []model.Block) *ending {
	switch m.StopReason {
	case model.StopRefusal:
		return r.answerUnrun(calls, textRefused)
	case model.StopContextLimit:
		return r.answerUnrun(calls, textFull)
	}
	if len(calls) == 0 {
		return nil
	}
	var cut []model.Block
	if m.StopReason == model.StopMaxTokens && m.Content[len(m.Content)-1].Type == model.BlockToolUse {
		calls, cut = calls[:len(calls)-1], calls[len(calls)-1:]
	}
	if r.abort.reached(AfterModel) || r.ctx.Err() != nil {
		return r.abandon(append(calls[:len(calls):len(calls)], cut...), false)
	}
	if end := r.groups(calls); end != nil {
		if len(cut) > 0 {
			if e := r.answerUnrun(cut, textCut); e != nil {
				return e
			}
		}
		return end
	}
	return r.answerUnrun(cut, textCut)
}

// groups runs calls group by group.
func (r *run) groups(calls []model.Block) *ending {
	for len(calls) > 0 {
		if r.ctx.Err() != nil {
			return r.abandon(calls, true)
		}
		if r.a.box.steers() {
			return r.answerUnrun(calls, textSkipped)
		}
		n := r.groupSize(calls)
		end := r.group(calls[:n])
		calls = calls[n:]
		if end != nil {
			if e := r.answerUnrun(calls, textStopped); e != nil {
				return e
			}
			return end
		}
	}
	if r.ctx.Err() != nil || r.abort.reached(AfterTools) {
		return r.interruption(true)
	}
	return nil
}

// abandon answers calls that an abort leaves, and ends the run.
func (r *run) abandon(calls []model.Block, duringTools bool) *ending {
	why := textAborted
	if context.Cause(r.ctx) == errTimeUp {
		why = textNoTime
	}
	if end := r.answerUnrun(calls, why); end != nil {
		return end
	}
	return r.interruption(duringTools)
}

// groupSize is how many calls from the front run beside each other: one, or several
// of tools that allow it.
func (r *run) groupSize(calls []model.Block) int {
	n := 0
	for n < len(calls) && n < r.behavior.MaxParallel {
		t, ok := r.a.tools.Get(calls[n].Name)
		if !ok || !t.Parallel {
			break
		}
		n++
	}
	return max(n, 1)
}

// group runs some calls beside each other and records their results, each as soon as
// those before it have theirs.
func (r *run) group(blocks []model.Block) *ending {
	env, err := r.a.env(r.ctx)
	if err != nil {
		if end := r.answerUnrun(blocks, "Not run: the place where commands run could not be made."); end != nil {
			return end
		}
		if r.ctx.Err() != nil {
			return r.interruption(true)
		}
		return failed(err)
	}
	g := newGroup(r, len(blocks))
	defer close(g.over)
	for i, b := range blocks {
		c := &call{group: g, index: i, block: b, input: b.InputObject(), ids: r.ids(b.ID), turn: r.turn, env: env, spent: r.total}
		g.calls = append(g.calls, c)
		c.ctx, c.cancel = context.WithCancelCause(r.ctx)
		r.open.add(b.ID, func() {
			c.cancel(errCancelled)
			g.cancelled <- c
		})
		r.total.Calls++
		go c.work()
	}
	return g.collect()
}

// finish records one result and shows it.
func (r *run) finish(c *call) *ending {
	if child := c.child.Load(); child != nil { // its prices were applied there
		r.total.Usage = r.total.Usage.Add(child.Usage)
		r.total.CostUSD += child.CostUSD
		r.total.Unpriced = r.total.Unpriced.Add(child.Unpriced)
	}
	res := c.result
	row := session.ToolResult{CallID: c.block.ID, Text: res.Text, IsError: res.IsError, Structured: res.Structured}
	if err := r.a.thread.ToolResults(row); err != nil {
		return failed(fmt.Errorf("record the result of %s: %w", c.block.Name, err))
	}
	for _, hc := range c.contexts {
		if err := r.a.thread.HookContext(hc); err != nil {
			return failed(err)
		}
	}
	for _, m := range c.notices {
		if err := r.a.thread.HookMessage(m.event, m.text); err != nil {
			return failed(err)
		}
	}
	r.a.background.read(r.ctx, c)
	hook.Emit(context.WithoutCancel(r.ctx), r.a.bus, hook.ToolAfter, &hook.ToolAfterPayload{IDs: c.ids, Name: c.block.Name, Input: c.input,
		Result: res.Text, IsError: res.IsError, State: c.state, Start: c.started, End: c.ended})
	r.emit(Event{Kind: EventToolResult, CallID: c.block.ID, Tool: c.block.Name, Text: res.Text, IsError: res.IsError, Elapsed: c.ended.Sub(c.started)})
	switch {
	case c.fatal != nil:
		return failed(fmt.Errorf("tool %s: %w", c.block.Name, c.fatal))
	case c.hookEnd != nil:
		return c.hookEnd
	case res.StopTurn:
		return &ending{end: EndTool, reason: res.Text}
	}
	return nil
}
