package agentcore

import (
	"cmp"
	"fmt"
	"time"

	"github.com/stophook/stophook/agentcore/model"
)

// limitTime ends the run when its time is up.
func (r *run) limitTime() (stop func()) {
	if r.behavior.MaxDuration <= 0 {
		return func() {}
	}
	timer := time.AfterFunc(r.behavior.MaxDuration, func() { r.cancel(errTimeUp) })
	return func() { timer.Stop() }
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

// modelLabel is what the session calls its model, which may say more than the API's
// name for it, such as the provider.
func (a *Agent) modelLabel() string { return cmp.Or(a.thread.Meta().Model, a.cfg.ModelName) }
