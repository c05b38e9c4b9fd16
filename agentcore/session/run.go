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

// RunStart records that a run begins. Readers of transcripts skip these rows.
func (t *Thread) RunStart(r Run) error {
	totals := t.state.totals
	totals.Runs++
	return t.runRow("start", r.ID, r.Model, totals, nil)
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
	if err := t.runRow("end", r.ID, r.Model, totals, &r); err != nil {
		return err
	}
	if t.log.sync == SyncRuns {
		return t.log.flush()
	}
	return nil
}

func (t *Thread) runRow(event, id, name string, totals Totals, end *RunEnd) error {
	b := t.batch()
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
	return b.put()
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
