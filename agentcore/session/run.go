package session

import (
	"time"

	"github.com/tidwall/gjson"

	"github.com/stophook/stophook/agentcore/model"
)

// Run begins a run.
type Run struct {
	ID    string
	Model string
}

// RunEnd ends one.
type RunEnd struct {
	ID         string
	Model      string
	StopReason string // why it ended, in the caller's words
	Error      string
	Usage      model.Usage // all of the run: failed answers and subagents too
	CostUSD    float64
	Unpriced   model.Usage // the part of Usage that CostUSD leaves out: its model has no price
	ModelCalls int
	ToolCalls  int
	Duration   time.Duration
}

// Totals are sums over a thread's whole life, resumed runs included. A fork
// begins with none but the turns that it copied.
type Totals struct {
	Turns      int `json:"turns"` // prompts and notifications that began one
	Runs       int `json:"runs"`  // begun
	ModelCalls int `json:"modelCalls"`
	ToolCalls  int `json:"toolCalls"`
	// Usage is that of all ended runs, and of the answers recorded outside them:
	// in a run that goes on, or that was killed.
	Usage model.Usage `json:"usage"`
	// CostUSD is that of all ended runs. Unpriced is the part of Usage that it
	// leaves out.
	CostUSD  float64     `json:"costUsd"`
	Unpriced model.Usage `json:"unpriced"`
}

// readTotals reads what a row of a run says. A resumed session has thousands, so
// they are not decoded by name of field.
func readTotals(v gjson.Result) (t Totals) {
	v.ForEach(func(k, v gjson.Result) bool {
		switch k.Str {
		case "turns":
			t.Turns = int(v.Int())
		case "runs":
			t.Runs = int(v.Int())
		case "modelCalls":
			t.ModelCalls = int(v.Int())
		case "toolCalls":
			t.ToolCalls = int(v.Int())
		case "usage":
			t.Usage = readUsage(v)
		case "costUsd":
			t.CostUSD = v.Float()
		case "unpriced":
			t.Unpriced = readUsage(v)
		}
		return true
	})
	return t
}

func readUsage(v gjson.Result) (u model.Usage) {
	v.ForEach(func(k, v gjson.Result) bool {
		switch k.Str {
		case "input_tokens":
			u.InputTokens = v.Int()
		case "output_tokens":
			u.OutputTokens = v.Int()
		case "cache_creation_input_tokens":
			u.CacheCreationInputTokens = v.Int()
		case "cache_read_input_tokens":
			u.CacheReadInputTokens = v.Int()
		}
		return true
	})
	return u
}

// Totals gives the sums up to now.
func (t *Thread) Totals() Totals { return t.state.totals }

// RunStart records that a run begins. Readers of transcripts skip these rows. No
// call of an earlier run can still get a result: those that a kill left without
// one get it first, the error that Messages told all along (RT-3).
func (t *Thread) RunStart(r Run) error {
	totals := t.state.totals
	totals.Runs++
	b := t.batch()
	for _, c := range t.state.fold.calls {
		if c.result.Type == "" {
			b.toolResult(ToolResult{CallID: c.asked, Text: unansweredText, IsError: true}, c.source)
		}
	}
	b.run("start", r.ID, r.Model, totals, nil)
	return b.put()
}

// RunEnd records what a run came to, so that totals survive it. What it says
// takes the place of what its answers said one by one.
func (t *Thread) RunEnd(r RunEnd) error {
	totals := t.state.base
	totals.Turns = t.state.totals.Turns
	totals.ModelCalls += r.ModelCalls
	totals.ToolCalls += r.ToolCalls
	totals.Usage = totals.Usage.Add(r.Usage)
	totals.CostUSD += r.CostUSD
	totals.Unpriced = totals.Unpriced.Add(r.Unpriced)
	b := t.batch()
	b.run("end", r.ID, r.Model, totals, &r)
	if err := b.put(); err != nil {
		return err
	}
	if t.log.sync == SyncRuns {
		return t.log.flush()
	}
	return nil
}

func (b *batch) run(event, id, name string, totals Totals, end *RunEnd) {
	t := b.t
	b.note(typeRun)
	b.str("event", event)
	b.str("sessionId", t.id)
	b.opt("agentId", t.agent)
	b.str("timestamp", b.now)
	b.str("runId", id)
	b.opt("model", name)
	b.opt("title", t.state.meta.Title) // for lists, which read no further than this
	var err error
	if end != nil {
		b.opt("stopReason", end.StopReason)
		b.opt("error", end.Error)
		err = b.value("usage", end.Usage)
		if err == nil {
			err = b.value("costUsd", end.CostUSD)
		}
		if err == nil && end.Unpriced != (model.Usage{}) {
			err = b.value("unpriced", end.Unpriced)
		}
		b.num("modelCalls", int64(end.ModelCalls))
		b.num("toolCalls", int64(end.ToolCalls))
		b.num("durationMs", end.Duration.Milliseconds())
	}
	if err == nil {
		err = b.value("totals", totals)
	}
	b.end(err)
}

// Title records what the session is called in lists.
func (t *Thread) Title(title string) error {
	b := t.batch()
	b.note("summary")
	b.str("summary", title)
	b.opt("leafUuid", t.state.leaf)
	b.str("sessionId", t.id)
	b.end(nil)
	return b.put()
}
