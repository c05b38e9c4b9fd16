package agentcore

import (
	"context"
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
