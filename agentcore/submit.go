package agentcore

import (
	"strings"

	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/session"
	"github.com/stophook/stophook/policy/hookio"
)

// start tells the session's start, once an agent.
func (r *run) start() *ending {
	a := r.a
	if a.begun {
		return nil
	}
	a.begun = true
	if a.depth > 0 {
		return nil // a subagent starts no session
	}
	source := "startup"
	if len(a.thread.Borrow()) > 0 {
		source = "resume"
	}
	hook.Emit(r.ctx, a.bus, hook.SessionStart, &hook.SessionStartPayload{IDs: r.ids(""), Source: source, Path: a.thread.Path()})
	out, end := r.commands(hookio.Payload{Event: hookio.SessionStart, Source: source, Model: a.cfg.ModelName})
	if end != nil {
		return end
	}
	return orFailed(a.thread.HookContext(session.HookContext{Event: string(hookio.SessionStart), Texts: out.Context}))
}

func orFailed(err error) *ending {
	if err != nil {
		return failed(err)
	}
	return nil
}

// prompts delivers what waits and then the run's own prompt.
func (r *run) prompts() *ending {
	waiting := r.a.box.take(true)
	for i := range waiting {
		if end := r.deliver(&waiting[i]); end != nil {
			if end.end != EndPrompt {
				r.a.box.back(waiting[i:])
				return end
			}
			r.warn("a queued message was refused by a hook and dropped: %s", end.reason)
		}
	}
	if !r.opts.prompts() {
		return nil
	}
	return r.submit(session.Prompt{Text: r.opts.Prompt, Blocks: r.opts.Blocks}, false)
}

// deliver turns a queued message into a prompt.
func (r *run) deliver(q *queued) *ending {
	if q.recorded {
		if err := r.a.thread.Dequeue(q.text); err != nil {
			return failed(err)
		}
		q.recorded = false // should it go back, it is recorded anew
	}
	if end := r.submit(session.Prompt{Text: q.text}, true); end != nil {
		return end
	}
	hook.Emit(r.ctx, r.a.bus, hook.SteerInject, &hook.SteerInjectPayload{IDs: r.ids(""), Text: q.text, FollowUp: true})
	return nil
}

// submit records a prompt, after the hooks that may refuse it.
func (r *run) submit(p session.Prompt, followUp bool) *ending {
	p.PromptID = r.a.cfg.NewID()
	text := p.Text
	for _, b := range p.Blocks {
		if b.Type == model.BlockText {
			text = strings.TrimPrefix(text+"\n"+b.Text, "\n")
		}
	}
	var out hook.Outcome
	if r.a.depth == 0 { // a subagent's prompt is no word of a person
		var end *ending
		out, end = r.commands(hookio.Payload{Event: hookio.UserPromptSubmit, Prompt: text, PromptID: p.PromptID})
		if end != nil {
			return end
		}
		if out.Block {
			return &ending{end: EndPrompt, reason: out.Reason}
		}
		if r.ctx.Err() != nil && r.a.cfg.Commands.Has(hookio.UserPromptSubmit) { // who was asked may not have answered
			return r.interruption(false)
		}
	}
	if _, err := r.a.thread.UserPrompt(p); err != nil {
		return failed(err)
	}
	r.a.promptID = p.PromptID
	r.nudges = 0
	r.a.background.prompted()
	r.active, r.blocks = false, 0 // what follows answers a new prompt
	if err := r.a.thread.HookContext(session.HookContext{Event: string(hookio.UserPromptSubmit), Texts: out.Context}); err != nil {
		return failed(err)
	}
	r.emit(Event{Kind: EventPrompt, Text: text, FollowUp: followUp})
	return nil
}

// deliverSteers puts steering messages into the turn that goes on.
func (r *run) deliverSteers() *ending {
	waiting := r.a.box.take(false)
	for i, q := range waiting {
		if err := r.a.thread.Steer(session.Steer{Text: q.text}); err != nil {
			r.a.box.back(waiting[i:])
			return failed(err)
		}
		hook.Emit(r.ctx, r.a.bus, hook.SteerInject, &hook.SteerInjectPayload{IDs: r.ids(""), Text: q.text})
		r.emit(Event{Kind: EventSteer, Text: q.text})
	}
	return nil
}

// keepQueued records messages that nobody delivered, so that a later process finds
// them in the session.
func (r *run) keepQueued() error {
	waiting := r.a.box.take(true)
	defer func() { r.a.box.back(waiting) }()
	for i := range waiting {
		if waiting[i].recorded {
			continue
		}
		if err := r.a.thread.Enqueue(waiting[i].text); err != nil {
			return err
		}
		waiting[i].recorded = true
	}
	return nil
}
