package agentcore

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/session"
)

// ending is how a run ends.
type ending struct {
	end    End
	reason string
	err    error
}

func failed(err error) *ending { return &ending{end: EndFailed, err: err} }

// terminal tells whether an answer ends the run whatever it holds.
func (r *run) terminal(m *model.Message) *ending {
	switch m.StopReason {
	case model.StopRefusal:
		return &ending{end: EndRefusal, reason: m.FinalText()}
	case model.StopContextLimit:
		return &ending{end: EndContextFull, reason: "the conversation does not fit the model any more"}
	case model.StopMaxTokens:
		if limit := r.behavior.MaxContinues; limit >= 0 && r.continues > limit {
			return &ending{end: EndOutputLimit, reason: "the answer was cut at the limit on output again and again"}
		}
	}
	return nil
}

// interrupted tells whether the run has to end at this point, and records it.
func (r *run) interrupted(at SafePoint) *ending {
	if r.ctx.Err() == nil && !r.abort.reached(at) {
		return nil
	}
	return r.interruption(false)
}

// interruption records that the run is broken off. duringTools says that calls
// were, not the model.
func (r *run) interruption(duringTools bool) *ending {
	cause := context.Cause(r.ctx)
	if errors.Is(cause, errTimeUp) {
		reason := "the time of the run that it is a part of is up"
		if r.behavior.MaxDuration > 0 { // else it is a subagent's, whose parent has the limit
			reason = fmt.Sprintf("the run took longer than %s", r.behavior.MaxDuration)
		}
		return &ending{end: EndMaxDuration, reason: reason}
	}
	point, reason := r.abort.asked()
	if cause == nil {
		cause = ErrAborted
	}
	hook.Emit(context.WithoutCancel(r.ctx), r.a.bus, hook.AgentAbort,
		&hook.AgentAbortPayload{IDs: r.ids(""), SafePoint: string(cmp.Or(point, Now)), Reason: reason})
	if _, err := r.a.thread.Interrupted(duringTools); err != nil {
		return failed(err)
	}
	return &ending{end: EndAborted, reason: reason, err: cause}
}

// conclude writes the end of the run and yields it.
func (r *run) conclude(end *ending) {
	res := r.total
	res.End, res.Reason, res.Err, res.Text = end.end, end.reason, end.err, r.text
	res.Elapsed = r.a.cfg.Now().Sub(r.began)
	if res.Reason == "" && res.Err != nil {
		res.Reason = res.Err.Error()
	}
	if err := r.keepQueued(); err != nil && res.Err == nil {
		res.End, res.Err, res.Reason = EndFailed, err, err.Error()
	}
	res.Queued = len(r.a.box.texts())
	r.a.background.ranAs(res.End)
	row := session.RunEnd{ID: r.id, Model: r.a.modelLabel(), StopReason: string(res.End), Usage: res.Usage, CostUSD: res.CostUSD, Unpriced: res.Unpriced,
		ModelCalls: res.Turns, ToolCalls: res.Calls, Duration: res.Elapsed}
	if res.Err != nil {
		row.Error = res.Reason
	}
	if err := r.a.thread.RunEnd(row); err != nil && res.Err == nil {
		res.End, res.Err, res.Reason = EndFailed, err, err.Error()
	}
	r.total = res
	hook.Emit(context.WithoutCancel(r.ctx), r.a.bus, hook.AgentDone, &hook.AgentDonePayload{IDs: r.ids(""), StopReason: string(res.End),
		Text: res.Text, Totals: res.Usage, CostUSD: res.CostUSD, Turns: res.Turns, Elapsed: res.Elapsed, Err: res.Err})
	r.emit(Event{Kind: EventResult, Result: &res})
}
