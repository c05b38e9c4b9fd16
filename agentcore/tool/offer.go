package tool

import "context"

// Offer is what an agent can do for its tools. Those that have an Adapt function
// fit what they tell the model to it, so that a model never hears of what would
// not work (AC-2).
type Offer struct {
	// Background: commands may go on in the background as tasks.
	Background bool
	// Kill and Wait: a task can be ended, and waited for. They count only beside
	// Background.
	Kill, Wait bool
	// Handoff: the host may move a command that runs in the foreground to the
	// background, so that it can be (AC-183). It counts only beside Background, and
	// the model reads nothing of it.
	Handoff bool
	// Headless: nothing wakes the agent after its turn, so that it collects its
	// tasks before it ends (D-04). Otherwise a notification wakes it.
	Headless bool
	// Subagent: it answers to another agent, which gets its tasks (AC-16).
	Subagent bool
}

// AdaptAll gives the tools as they are under an offer, in order and without those
// that it leaves out. What it is given stays as it is, and can be adapted again
// for another agent; so can what it gives.
//
// Adapt has a say in what the model reads, Description and Schema, and in nothing
// else: a host that wrapped Run keeps its wrapper. Run finds the offer in its call.
func AdaptAll(tools []Tool, o Offer) []Tool {
	adapted := make([]Tool, 0, len(tools))
	for _, t := range tools {
		if t.Adapt == nil {
			adapted = append(adapted, t)
			continue
		}
		fit, ok := t.Adapt(o)
		if !ok {
			continue
		}
		own := t
		own.Description, own.Schema = fit.Description, fit.Schema
		own.Run = offered(t.Run, o)
		adapted = append(adapted, own)
	}
	return adapted
}

// offered tells a call what is offered. Of a tool that was adapted twice the last
// time counts, which is the outermost function.
func offered(run func(context.Context, *Call) (*Result, error), o Offer) func(context.Context, *Call) (*Result, error) {
	return func(ctx context.Context, call *Call) (*Result, error) {
		own := *call
		if own.Offer == nil {
			own.Offer = &o
		}
		return run(ctx, &own)
	}
}
