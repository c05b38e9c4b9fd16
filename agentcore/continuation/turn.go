package continuation

import "github.com/stophook/stophook/transcript"

// Debt is background work that a turn started and did not collect. It is folded
// call by call and lives as long as the turn (AC-150): it is made anew for a
// person's prompt, and not for a rescue run.
type Debt interface {
	Outstanding() int // never negative
}

// Itemized is a debt that knows its tasks; texts then name them.
type Itemized interface {
	Debt
	Owed() []Task
}

var (
	_ Debt     = (*transcript.CallDebt)(nil) // Claude dialect: seen from calls alone (D-08)
	_ Itemized = (*Ledger)(nil)              // native dialect: paired, paid by an outcome
)

// DefaultContinues is how many runs a turn spends on endings other than success.
const DefaultContinues = 1

// Policy is how a turn goes on. The zero value is the default: headless, our own
// tools, one nudge, one continuation.
type Policy struct {
	Mode      Mode
	Dialect   Dialect
	MaxNudges int    // of a turn; 0: DefaultMaxNudges, negative: none
	Continues int    // of a turn, all rungs of the ladder together; 0: DefaultContinues, negative: none
	Tools     *Tools // of the native dialect; nil: [NativeTools]
}

func (p Policy) continues() int {
	if p.Continues == 0 {
		return DefaultContinues
	}
	return max(0, p.Continues)
}

// Outcome is the end of one run.
type Outcome struct {
	Ending  Ending
	Aborted bool // a person stopped it
	// Turns and Requested are as in [TurnBudget], where the host knows them.
	Turns, Requested float64
}

// Step is what to do after a run.
type Step struct {
	// Rung is why there is another run, or RungStop.
	Rung Rung
	// Prompt is what to resume the same session with; empty when the turn is over.
	Prompt string
	// Notices are for the person, in order. They come with any step.
	Notices []string
}

// Over tells whether the turn is over.
func (s Step) Over() bool { return s.Rung == RungStop }

// Turn is a person's prompt and all the runs that it takes: the first, the rescue
// run, and those that went on after a run was cut. Not safe for concurrent use.
type Turn struct {
	policy    Policy
	debt      Debt
	nudges    int
	continues int
}

// NewTurn begins a turn. The debt is the turn's own and may be nil, which owes
// nothing; the caller folds the calls of every run into it.
func NewTurn(p Policy, d Debt) *Turn { return &Turn{policy: p, debt: d} }

// Outstanding is what the turn owes now.
func (t *Turn) Outstanding() int {
	if t.debt == nil {
		return 0
	}
	return max(0, t.debt.Outstanding())
}

// Nudges is how many rescue runs the turn has spent.
func (t *Turn) Nudges() int { return t.nudges }

// Ended takes the end of a run and says what follows. All calls of that run must
// have been folded.
func (t *Turn) Ended(o Outcome) Step {
	step := Step{Rung: RungStop}
	if notice := TurnBudgetAnomaly(TurnBudget{o.Ending, o.Turns, o.Requested}); notice != "" {
		step.Notices = append(step.Notices, notice)
	}
	switch rung := Ladder(o.Ending); rung {
	case RungNudge:
		if ShouldNudge(NudgeState{t.policy.Mode, o.Ending, t.Outstanding(), t.nudges, o.Aborted, t.policy.MaxNudges}) {
			t.nudges++
			step.Rung, step.Prompt = rung, t.nudge()
		}
	case RungContinue, RungRetry:
		// A limit that is not ours would cut the next run just as early.
		if len(step.Notices) == 0 && t.policy.Mode != Interactive && !o.Aborted && t.continues < t.policy.continues() {
			t.continues++
			step.Rung, step.Prompt = rung, ContinuePrompt(rung)
		}
	}
	if step.Over() {
		stranded := Stranded{t.policy.Mode, t.Outstanding(), t.nudges, t.policy.MaxNudges, t.owed()}
		if notice := StrandedNotice(stranded); notice != "" {
			step.Notices = append(step.Notices, notice)
		}
	}
	return step
}

func (t *Turn) nudge() string {
	if t.policy.Dialect == Claude {
		return ClaudeNudge(t.Outstanding())
	}
	return NativeNudge(t.Outstanding(), t.owed(), t.policy.Tools.orNative())
}

func (t *Turn) owed() []Task {
	if d, ok := t.debt.(Itemized); ok {
		return d.Owed()
	}
	return nil
}
