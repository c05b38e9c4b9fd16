package agentcore

import (
	"context"
	"errors"
	"fmt"

	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/session"
)

// ask is one call of the model, from its request to its recorded message.
func (r *run) ask() (*model.Message, *ending) {
	a := r.a
	r.turn++
	r.total.Turns++
	req := &model.Request{Model: a.cfg.ModelName, System: r.system, Messages: a.thread.Borrow(), Tools: a.specs,
		MaxTokens: r.behavior.MaxTokens, ThinkingTokens: r.behavior.ThinkingTokens, Cache: !r.behavior.NoCache}
	if hook.Listens(a.bus, hook.ContextTransform) {
		p := &hook.ContextTransformPayload{IDs: r.ids(""), Messages: req.Messages}
		hook.Emit(r.ctx, a.bus, hook.ContextTransform, p)
		req.Messages = p.Messages
	}
	hook.Emit(r.ctx, a.bus, hook.TurnBefore, &hook.TurnBeforePayload{IDs: r.ids(""), Turn: r.turn, Model: a.cfg.ModelName})
	r.emit(Event{Kind: EventTurnStart})
	message, err := r.stream(req)
	hook.Emit(context.WithoutCancel(r.ctx), a.bus, hook.StreamEnd, streamEnd(r.ids(""), message, err))
	if err != nil {
		return nil, r.askFailed(err)
	}
	return r.answered(message)
}

func streamEnd(ids hook.IDs, m *model.Message, err error) *hook.StreamEndPayload {
	p := &hook.StreamEndPayload{IDs: ids, Err: err}
	if m != nil {
		p.StopReason, p.Text = m.StopReason, m.FinalText()
	}
	return p
}

// stream reads the model's answer and shows it while it comes.
func (r *run) stream(req *model.Request) (*model.Message, error) {
	var final *model.Message
	for e, err := range r.a.cfg.Model.Stream(r.ctx, req) {
		if err != nil {
			return nil, err
		}
		if e.Message != nil {
			final = e.Message
			continue
		}
		r.delta(e)
	}
	if final == nil {
		return nil, model.Broken(r.ctx, nil, &model.Message{Role: model.RoleAssistant})
	}
	return final, nil
}

// delta shows one piece of an answer. Nothing of it is kept.
func (r *run) delta(e model.Event) {
	switch {
	case e.Text != "":
		hook.Emit(r.ctx, r.a.bus, hook.StreamText, &hook.StreamTextPayload{IDs: r.ids(""), Delta: e.Text})
		r.emit(Event{Kind: EventText, Text: e.Text})
	case e.Thinking != "":
		hook.Emit(r.ctx, r.a.bus, hook.StreamThinking, &hook.StreamThinkingPayload{IDs: r.ids(""), Delta: e.Thinking})
		r.emit(Event{Kind: EventThinking, Text: e.Thinking})
	case e.ToolUse != nil:
		r.emit(Event{Kind: EventToolHead, CallID: e.ToolUse.ID, Tool: e.ToolUse.Name})
	case e.Input != "":
		r.emit(Event{Kind: EventToolMore, Text: e.Input})
	case e.Restart != nil:
		why := ""
		if e.Restart.Err != nil {
			why = e.Restart.Err.Error()
			if p := e.Restart.Err.Partial; p != nil && p.Usage != nil { // void, and paid for (RT-8)
				r.add(p.Model, *p.Usage)
			}
		}
		r.emit(Event{Kind: EventRestart, Text: why, Wait: e.Restart.Wait})
	}
}

// answered records a whole answer and shows it.
func (r *run) answered(m *model.Message) (*model.Message, *ending) {
	if end := r.record(m); end != nil {
		return nil, end
	}
	if m.StopReason == model.StopMaxTokens {
		r.continues++
	} else {
		r.continues = 0
	}
	return m, nil
}

// record writes what came of an answer, counts it, and shows it.
func (r *run) record(m *model.Message) *ending {
	var usage model.Usage
	if m.Usage != nil {
		usage = *m.Usage
	}
	r.add(m.Model, usage)
	if _, err := r.a.thread.Assistant(m, ""); err != nil {
		return failed(fmt.Errorf("record the model's answer: %w", err))
	}
	if text := m.FinalText(); text != "" {
		r.text = text
	}
	r.emit(Event{Kind: EventMessage, Message: m, Usage: &usage})
	return nil
}

// askFailed records an answer that broke. What had come of it is kept, its calls
// answered, its tokens counted.
func (r *run) askFailed(err error) *ending {
	failure := model.AsError(r.ctx, err)
	if partial := failure.Partial; partial != nil {
		if end := r.keepPartial(partial); end != nil {
			return end
		}
	}
	if r.ctx.Err() != nil || failure.Kind == model.KindAborted {
		return r.interruption(false)
	}
	if _, err := r.a.thread.APIError(failure); err != nil {
		return failed(errors.Join(failure, err))
	}
	if failure.Kind == model.KindContextTooLong {
		return &ending{end: EndContextFull, err: failure}
	}
	return &ending{end: EndModelError, err: failure}
}

// keepPartial records the part of an answer that came before it broke, when a
// reader has something of it; else it only counts the tokens.
func (r *run) keepPartial(partial *model.Message) *ending {
	if partial.FinalText() == "" && len(partial.ToolUses()) == 0 {
		if partial.Usage != nil {
			r.add(partial.Model, *partial.Usage)
		}
		return nil
	}
	if end := r.record(partial); end != nil {
		return end
	}
	return r.answerUnrun(partial.ToolUses(), "Not run: the answer that this call is a part of broke off.")
}

// turnAfter tells the end of a turn.
func (r *run) turnAfter(m *model.Message) {
	p := &hook.TurnAfterPayload{IDs: r.ids(""), Turn: r.turn, Message: m}
	if m.Usage != nil {
		p.Usage = *m.Usage
	}
	hook.Emit(context.WithoutCancel(r.ctx), r.a.bus, hook.TurnAfter, p)
}

// answerUnrun gives calls that do not run the result that says why (RT-3).
func (r *run) answerUnrun(calls []model.Block, why string) *ending {
	if len(calls) == 0 {
		return nil
	}
	now := r.a.cfg.Now()
	results := make([]session.ToolResult, len(calls))
	for i, c := range calls {
		results[i] = session.ToolResult{CallID: c.ID, Text: why, IsError: true}
	}
	if err := r.a.thread.ToolResults(results...); err != nil {
		return failed(fmt.Errorf("record the results of tools: %w", err))
	}
	for _, c := range calls {
		hook.Emit(context.WithoutCancel(r.ctx), r.a.bus, hook.ToolAfter, &hook.ToolAfterPayload{IDs: r.ids(c.ID), Name: c.Name,
			Input: c.InputObject(), Result: why, IsError: true, State: hook.CallCancelled, Start: now, End: now})
		r.emit(Event{Kind: EventToolResult, CallID: c.ID, Tool: c.Name, Text: why, IsError: true})
	}
	return nil
}
