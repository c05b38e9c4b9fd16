package continuation

// Ending is how a run ended, in the words of the client's result subtypes. Words
// that are not known are kept, and end the turn.
type Ending string

// Endings that have a rung of their own on the [Ladder].
const (
	Success              Ending = "success"
	ErrorMaxTurns        Ending = "error_max_turns"
	ErrorDuringExecution Ending = "error_during_execution"
	ErrorMaxBudget       Ending = "error_max_budget_usd"
	ErrorMaxOutput       Ending = "error_max_structured_output_retries"
)

// FromNative is an end of our own runtime (agentcore.End) as an ending. Ends that
// somebody chose (aborted, a hook, a tool, a refused prompt) and limits that more
// runs cannot help keep their word, so that nothing goes on behind them.
func FromNative(end string) Ending {
	switch end {
	case "completed":
		return Success
	case "max_turns":
		return ErrorMaxTurns
	case "max_cost":
		return ErrorMaxBudget
	case "model_error":
		return ErrorDuringExecution
	}
	return Ending(end)
}

// Rung is what may follow an ending.
type Rung string

// The rungs of the ladder (AC-167).
const (
	RungNudge    Rung = "nudge"    // a clean end: one more run if something is owed
	RungContinue Rung = "continue" // the run was cut: go on where it stopped
	RungRetry    Rung = "retry"    // the run broke: look at what is done, then go on
	RungStop     Rung = "stop"     // the turn is over
)

// Ladder gives every ending its one rung. It is the smallest that makes the nudge's
// own condition mean something (AC-159, AC-167):
//
//   - success belongs to the nudge.
//   - error_max_turns goes on: the limit is for one run, and the work is unfinished.
//   - error_during_execution tries once more: most such ends are passing ones.
//   - Everything else stops. A budget in money is the caller's last word, output
//     that never fits will not fit the next time, and what is not known is left to
//     a person.
//
// How often a rung may be taken is [Policy.Continues].
func Ladder(e Ending) Rung {
	switch e {
	case Success:
		return RungNudge
	case ErrorMaxTurns:
		return RungContinue
	case ErrorDuringExecution:
		return RungRetry
	}
	return RungStop
}

// ContinuePrompt is what a run that did not end well is followed by: RungContinue
// after a cut, RungRetry after a failure. It is "" for other rungs. It says nothing
// of background work: that has its nudge when the turn ends well (AC-167).
func ContinuePrompt(r Rung) string {
	switch r {
	case RungContinue:
		return "Your last run was cut at its limit on turns before the work was done. Go on where it stopped: do not repeat what is done, " +
			"and take the shortest way to the end. If everything is done already, say so in one line."
	case RungRetry:
		return "Your last run was broken off by an error, not by you. Your last action may have happened or not, so look before you repeat it. " +
			"Then go on where you stopped. If everything is done already, say so in one line."
	}
	return ""
}
