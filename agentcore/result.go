package agentcore

import (
	"iter"
	"time"

	"github.com/stophook/stophook/agentcore/model"
)

// End is why a run ended.
type End string

// Why runs end.
const (
	EndCompleted   End = "completed"      // the model was done, and the stop hooks let it go
	EndAborted     End = "aborted"        // Abort, the context, or a reader that left
	EndRefusal     End = "refusal"        // the model refused (RT-7)
	EndMaxTurns    End = "max_turns"      // Behavior.MaxTurns
	EndMaxTokens   End = "max_tokens"     // Behavior.MaxTotalTokens
	EndMaxCost     End = "max_cost"       // Behavior.MaxCostUSD
	EndMaxDuration End = "max_duration"   // Behavior.MaxDuration
	EndOutputLimit End = "output_limit"   // answers were cut at MaxTokens again and again
	EndContextFull End = "context_full"   // the conversation does not fit the model any more
	EndHook        End = "hook_stopped"   // a hook ended the run (continue: false)
	EndPrompt      End = "prompt_blocked" // a hook refused the prompt, which was not recorded
	EndTool        End = "tool_stopped"   // a tool ended the run (tool.Result.StopTurn)
	EndModelError  End = "model_error"    // the model failed for good
	EndFailed      End = "failed"         // the session could not be written, or a tool gave up
)

// Limit tells whether a budget ended the run (RT-6).
func (e End) Limit() bool {
	switch e {
	case EndMaxTurns, EndMaxTokens, EndMaxCost, EndMaxDuration, EndOutputLimit, EndContextFull:
		return true
	}
	return false
}

// Result is what a run came to.
type Result struct {
	End  End    `json:"end"`
	Text string `json:"text"` // of the last message that had text
	// Reason says more than End where there is more: the hook's reason, the error.
	Reason string `json:"reason,omitempty"`
	Err    error  `json:"-"` // of EndModelError and EndFailed, and the cause of EndAborted

	Usage    model.Usage   `json:"usage"`              // failed and aborted answers and subagents included
	CostUSD  float64       `json:"cost_usd"`           // 0 where no price is known
	Unpriced model.Usage   `json:"unpriced,omitzero"`  // the part of Usage that no price is known for
	Turns    int           `json:"turns"`              // calls of the model, without those of subagents
	Calls    int           `json:"tool_calls"`         // of tools, without those of subagents
	Blocks   int           `json:"stop_blocks"`        // of stop hooks that were obeyed
	Elapsed  time.Duration `json:"elapsed_ns"`         //
	Queued   int           `json:"queued,omitempty"`   // messages that wait for the next run
	Warnings int           `json:"warnings,omitempty"` // events of that kind
}

// Final reads a run to its end. The error is that of a run that could not begin;
// how it ended is in the result, also when it failed.
func Final(run iter.Seq2[Event, error]) (*Result, error) {
	var result *Result
	for e, err := range run {
		if err != nil {
			return nil, err
		}
		if e.Kind == EventResult { // those of subagents come before
			result = e.Result
		}
	}
	return result, nil
}
