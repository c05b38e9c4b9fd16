package session

import (
	"time"

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
	ModelCalls int
	ToolCalls  int
	Duration   time.Duration
}

// RunStart records that a run begins. Readers of transcripts skip these rows.
func (t *Thread) RunStart(r Run) error { return errNotYet }

// RunEnd records what a run came to, so that totals survive it.
func (t *Thread) RunEnd(r RunEnd) error { return errNotYet }

// Totals are sums over a thread's whole life, resumed runs included.
type Totals struct {
	Turns      int // prompts and notifications that began one
	Runs       int // begun
	ModelCalls int
	ToolCalls  int
	// Usage is that of all ended runs, and of the answers recorded outside them:
	// in a run that goes on, or that was killed.
	Usage model.Usage
	// CostUSD is that of all ended runs. Unpriced is the part of Usage that no
	// ended run has a cost for.
	CostUSD  float64
	Unpriced model.Usage
}

// Totals gives the sums up to now.
func (t *Thread) Totals() Totals { return Totals{} }

// Title records what the session is called in lists.
func (t *Thread) Title(title string) error { return errNotYet }
