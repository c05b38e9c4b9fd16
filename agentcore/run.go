package agentcore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/session"
)

// run is one run. All of it but abort, open and calls belongs to the goroutine that
// ranges over the run.
type run struct {
	a        *Agent
	id       string
	opts     RunOptions
	behavior Behavior
	ctx      context.Context // ends with the run
	cancel   context.CancelCauseFunc
	yield    func(Event, error) bool
	gone     bool // the reader left
	began    time.Time

	abort abortRequest
	open  openCalls

	system    string // as hooks left it; set before the first turn
	turn      int
	text      string // of the last message that had some
	active    bool   // the run goes on because of a stop hook
	blocks    int    // of stop hooks, since the latest prompt
	nudges    int    // to collect tasks, since the latest prompt
	continues int    // answers in a row that were cut
	total     Result // sums up to now
}

func newRun(a *Agent, ctx context.Context, opts RunOptions, yield func(Event, error) bool) *run {
	r := &run{a: a, id: a.cfg.NewID(), opts: opts, behavior: a.cfg.Behavior, yield: yield, began: a.cfg.Now()}
	if opts.Behavior != nil {
		r.behavior = opts.Behavior.withDefaults()
	}
	r.ctx, r.cancel = context.WithCancelCause(ctx)
	return r
}

// work is the run from its first to its last event.
func (r *run) work() {
	if !r.hasInput() {
		r.yield(Event{}, ErrNoPrompt)
		return
	}
	stop := r.limitTime()
	defer stop()
	end := r.frame()
	r.conclude(end)
}

func (r *run) hasInput() bool {
	if r.opts.prompts() || len(r.a.box.texts()) > 0 || r.a.HasPendingTaskNotifications() {
		return true
	}
	if _, ended, err := r.a.look(r.ctx); err == nil && ended {
		return true // only the list knows of it
	}
	messages := r.a.thread.Borrow()
	// An assistant's message at the end is an answer that was given; there is
	// nothing to go on with unless the API paused.
	return len(messages) > 0 && (messages[len(messages)-1].Role == model.RoleUser ||
		messages[len(messages)-1].StopReason == model.StopPauseTurn)
}

// limitTime ends the run when its time is up.
func (r *run) limitTime() (stop func()) {
	if r.behavior.MaxDuration <= 0 {
		return func() {}
	}
	timer := time.AfterFunc(r.behavior.MaxDuration, func() { r.cancel(errTimeUp) })
	return func() { timer.Stop() }
}

// ending is how a run ends.
type ending struct {
	end    End
	reason string
	err    error
}

func failed(err error) *ending { return &ending{end: EndFailed, err: err} }

// frame runs what stands between the first and the last row of a run.
func (r *run) frame() *ending {
	if err := r.a.thread.RunStart(session.Run{ID: r.id, Model: r.a.modelLabel()}); err != nil {
		return failed(err)
	}
	r.emit(Event{Kind: EventRunStart, Path: r.a.thread.Path(), Model: r.a.cfg.ModelName})
	if end := r.start(); end != nil {
		return end
	}
	if end := r.notify(); end != nil {
		return end
	}
	if end := r.prompts(); end != nil {
		return end
	}
	r.system = strings.TrimSpace(r.a.cfg.System + "\n\n" + r.a.instruction())
	if hook.Listens(r.a.bus, hook.SystemBefore) {
		p := &hook.SystemBeforePayload{IDs: r.ids(""), System: r.system}
		hook.Emit(r.ctx, r.a.bus, hook.SystemBefore, p)
		r.system = p.System
	}
	return r.loop()
}

// loop is the turns.
func (r *run) loop() *ending {
	for {
		if end := r.beforeTurn(); end != nil {
			return end
		}
		message, end := r.ask()
		if end != nil {
			return end
		}
		calls := message.ToolUses()
		end = r.runCalls(message, calls)
		r.turnAfter(message)
		if end != nil {
			return end
		}
		if end := r.terminal(message); end != nil {
			return end
		}
		if len(calls) > 0 || message.StopReason == model.StopPauseTurn {
			continue
		}
		goOn, end := r.stopped(message)
		if end != nil {
			return end
		}
		if !goOn {
			return &ending{end: EndCompleted}
		}
	}
}

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

// beforeTurn is the safe point before a call of the model: aborts, limits, queued
// messages.
func (r *run) beforeTurn() *ending {
	if end := r.interrupted(AfterTools); end != nil {
		return end
	}
	if end := r.overLimit(); end != nil {
		return end
	}
	return r.deliverSteers()
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

// overLimit tells whether a budget is used up (RT-6).
func (r *run) overLimit() *ending {
	b, t := r.behavior, r.total
	switch {
	case b.MaxTurns > 0 && t.Turns >= b.MaxTurns:
		return &ending{end: EndMaxTurns, reason: fmt.Sprintf("the run reached its limit on turns: %d", b.MaxTurns)}
	case b.MaxTotalTokens > 0 && t.Usage.Total() >= b.MaxTotalTokens:
		return &ending{end: EndMaxTokens, reason: fmt.Sprintf("the run used %d tokens; its limit is %d", t.Usage.Total(), b.MaxTotalTokens)}
	case b.MaxCostUSD > 0 && t.CostUSD >= b.MaxCostUSD:
		return &ending{end: EndMaxCost, reason: fmt.Sprintf("the run cost %.4f USD; its limit is %.4f", t.CostUSD, b.MaxCostUSD)}
	}
	return nil
}

// add counts usage, of this agent's model or of a subagent.
func (r *run) add(name string, u model.Usage) {
	r.total.Usage = r.total.Usage.Add(u)
	price, ok := r.a.cfg.Prices[name]
	if !ok {
		price, ok = r.a.cfg.Prices[r.a.cfg.ModelName]
	}
	if !ok {
		r.total.Unpriced = r.total.Unpriced.Add(u)
		return
	}
	r.total.CostUSD += price.Cost(u)
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

// emit yields an event. A reader that has left gets nothing any more, and the run
// is aborted.
func (r *run) emit(e Event) {
	if r.gone {
		return
	}
	if e.Run == "" { // not one of a subagent, which is complete
		e.Session, e.Run, e.Agent, e.Depth, e.Turn = r.a.thread.ID(), r.id, r.a.id, r.a.depth, r.turn
	}
	if e.Kind == EventWarning {
		r.total.Warnings++
	}
	if !r.yield(e, nil) {
		r.gone = true
		r.abort.ask(Now, "the reader of the run's events left")
		r.cancel(errReaderLeft)
	}
}

func (r *run) warn(format string, args ...any) {
	r.emit(Event{Kind: EventWarning, Text: fmt.Sprintf(format, args...)})
}

// turnID names a turn of the run for hooks.
func (r *run) turnID() string {
	if r.turn == 0 {
		return ""
	}
	return fmt.Sprintf("%s/%d", r.id, r.turn)
}

func (r *run) ids(callID string) hook.IDs {
	ids := r.a.ids()
	ids.RunID, ids.TurnID, ids.CallID = r.id, r.turnID(), callID
	return ids
}

// modelLabel is what the session calls its model, which may say more than the API's
// name for it, such as the provider.
func (a *Agent) modelLabel() string { return cmp.Or(a.thread.Meta().Model, a.cfg.ModelName) }
