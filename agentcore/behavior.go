package agentcore

import "time"

// Behavior is how an agent works. The zero value is the default; a negative limit
// means none.
type Behavior struct {
	MaxTurns       int           // calls of the model in one run; 0: 50
	MaxTotalTokens int64         // tokens of all kinds in one run, subagents included; 0: no limit
	MaxCostUSD     float64       // of one run, subagents included; needs Config.Prices; 0: no limit
	MaxDuration    time.Duration // of one run; 0: no limit

	MaxTokens      int  // of one answer; 0: model.DefaultMaxTokens
	ThinkingTokens int  // budget for thinking; 0: none
	NoCache        bool // do not ask for prompt caching

	// MaxParallel is how many calls run beside each other; 0: 8.
	MaxParallel int
	// MaxContinues is how often a run goes on after an answer that was cut at
	// MaxTokens, in a row; 0: 3.
	MaxContinues int
	// StopBlockCap is how many blocks of stop hooks a run obeys. The next one is
	// overridden, and said (RT-51). 0: 8, which is the client's. Unlike there, tool
	// calls between blocks do not start the count anew.
	StopBlockCap int
	// MaxDepth is how deep subagents nest: 1 means that subagents have none. 0: 3.
	MaxDepth int
	// CancelGrace is how long a call that was cancelled may take to return before
	// it is given up, and its goroutine with it; 0: 10 s.
	CancelGrace time.Duration
	// DisableBackground switches background tasks off: all of them, or those that
	// would end with this program (AC-1, AC-2).
	DisableBackground DisableBackground
	// BackgroundOutputCap is how much of a task's output is kept, in bytes, from the
	// beginning; 0: all of it.
	BackgroundOutputCap int64
	// StallAfter is the silence after which a task counts as stalled; 0: never.
	StallAfter time.Duration
	// WakeOnStall makes a stall wake the agent as an end does (D-27).
	WakeOnStall bool
	// Handoff allows DeliverNow.
	Handoff bool
	// MaxNudges is how often a headless run is asked, a turn, to collect the tasks
	// that it leaves (AC-159); 0: once.
	MaxNudges int

	// DestroyTimeout bounds each step of Destroy (AC-101, D-30); 0: 10 s.
	DestroyTimeout time.Duration
}

// DisableBackground says which background tasks an agent must not have.
type DisableBackground string

// None of them are disabled by the zero value.
const (
	DisableAll        DisableBackground = "all"
	DisableNonDurable DisableBackground = "non-durable"
)

func (b Behavior) withDefaults() Behavior {
	count := func(v *int, def int) {
		if *v == 0 {
			*v = def
		}
	}
	count(&b.MaxTurns, 50)
	count(&b.MaxContinues, 3)
	count(&b.StopBlockCap, 8)
	count(&b.MaxDepth, 3)
	count(&b.MaxNudges, 1)
	if b.MaxParallel <= 0 {
		b.MaxParallel = 8
	}
	if b.CancelGrace <= 0 {
		b.CancelGrace = 10 * time.Second
	}
	if b.DestroyTimeout <= 0 {
		b.DestroyTimeout = 10 * time.Second
	}
	return b
}
