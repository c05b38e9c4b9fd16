package continuation

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Stranded is what a turn ended with.
type Stranded struct {
	Mode        Mode
	Outstanding int
	Nudges      int    // that the turn has spent
	MaxNudges   int    // as in [NudgeState]
	Tasks       []Task // the tasks that are owed, where they are known
}

// StrandedNotice is what a person is told of background work that a turn left
// behind, or "" (AC-161). It needs at least one nudge, and as many as the turn may
// spend where that is more (D-46): before that, the next run can still collect. In
// an interactive session nothing is left behind (D-04).
//
// It reads the same debt as the nudge, so that a rescue run which only talked does
// not turn into a success (AC-162).
func StrandedNotice(s Stranded) string {
	if s.Mode == Interactive || s.Outstanding <= 0 || s.Nudges < max(1, maxNudges(s.MaxNudges)) {
		return ""
	}
	var b strings.Builder
	if s.Outstanding == 1 {
		b.WriteString("1 background task was left behind: its output was never collected, and it may still be running. " +
			"A turn does not resume here, so nothing will pick it up. Send another message to have the agent read it, " +
			"or look yourself in the working directory.")
	} else {
		fmt.Fprintf(&b, "%d background tasks were left behind: their output was never collected, and they may still be running. "+
			"A turn does not resume here, so nothing will pick them up. Send another message to have the agent read them, "+
			"or look yourself in the working directory.", s.Outstanding)
	}
	list(&b, s.Tasks)
	return b.String()
}

// TurnBudget is a run that was cut at a limit of turns, and the limit that it was
// given. Both are numbers as JSON has them; 0, negative ones, NaN and infinities are
// as good as not known.
type TurnBudget struct {
	Ending    Ending
	Turns     float64 // that the run took, as it said
	Requested float64 // that it was allowed
}

// TurnBudgetAnomaly is what a person is told of a run that was cut for its turns
// long before the limit that it was given, or "" (AC-163). Long before is less than
// half: a run can stop a turn or two short for ordinary reasons.
func TurnBudgetAnomaly(b TurnBudget) string {
	if b.Ending != ErrorMaxTurns || !known(b.Turns) || !known(b.Requested) || b.Turns >= b.Requested/2 {
		return ""
	}
	turns := number(b.Turns) + " turns"
	if b.Turns == 1 {
		turns = "1 turn"
	}
	return fmt.Sprintf("The run was stopped after %s, and it had been given %s. The limit that it met is another one, so raising the "+
		"limit on turns of this chat will not help. Look at the version of the agent's command line, at settings.json and at hooks "+
		"on the machine where the agent runs.", turns, number(b.Requested))
}

func known(n float64) bool { return n > 0 && !math.IsInf(n, 1) } // NaN is not above 0

func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
