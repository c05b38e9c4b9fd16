package continuation_test

import (
	"math"
	"testing"

	"github.com/stophook/stophook/agentcore/continuation"
)

func TestStrandedNotice_AC161_D46(t *testing.T) {
	t.Parallel()
	type stranded = continuation.Stranded
	tests := []struct {
		reason string
		in     stranded
		want   bool
	}{
		{"nudged once, and it still owes", stranded{Outstanding: 1, Nudges: 1}, true},
		{"more nudges than one", stranded{Outstanding: 1, Nudges: 2}, true},
		{"no nudge yet", stranded{Outstanding: 1}, false},
		{"nothing owed", stranded{Nudges: 1}, false},
		{"less than nothing owed", stranded{Outstanding: -2, Nudges: 1}, false},
		{"D-46: one of two nudges", stranded{Outstanding: 1, Nudges: 1, MaxNudges: 2}, false},
		{"D-46: two of two nudges", stranded{Outstanding: 1, Nudges: 2, MaxNudges: 2}, true},
		{"D-46: nudges are off, none was given", stranded{Outstanding: 1, MaxNudges: -1}, false},
		{"D-46: nudges were switched off after one", stranded{Outstanding: 1, Nudges: 1, MaxNudges: -1}, true},
		{"D-04: in an interactive session nothing is left behind", stranded{Mode: continuation.Interactive, Outstanding: 1, Nudges: 1}, false},
	}
	for _, tt := range tests {
		got := continuation.StrandedNotice(tt.in)
		if (got != "") != tt.want {
			t.Errorf("%s: StrandedNotice(%+v) = %q", tt.reason, tt.in, got)
		}
		if got != "" {
			says(t, got, "nothing will pick", "send another message", "working directory")
		}
	}
	golden(t, "stranded_1", continuation.StrandedNotice(stranded{Outstanding: 1, Nudges: 1}))
	golden(t, "stranded_3", continuation.StrandedNotice(stranded{Outstanding: 3, Nudges: 1}))
	golden(t, "stranded_tasks", continuation.StrandedNotice(stranded{Outstanding: 2, Nudges: 1, Tasks: []continuation.Task{
		{ID: "bash_1", Command: "make all", OutputPath: "/s/tasks/bash_1-0192.output"}, {ID: "bash_2", Command: "npm run dev"}}}))
}

func TestTurnBudgetAnomaly_AC163(t *testing.T) {
	t.Parallel()
	nan, inf := math.NaN(), math.Inf(1)
	tests := []struct {
		reason           string
		ending           continuation.Ending
		turns, requested float64
		want             bool
	}{
		{"far below the limit", continuation.ErrorMaxTurns, 3, 200, true},
		{"just below half", continuation.ErrorMaxTurns, 99, 200, true},
		{"half", continuation.ErrorMaxTurns, 100, 200, false},
		{"just below half of an odd limit", continuation.ErrorMaxTurns, 2, 5, true},
		{"just above half of an odd limit", continuation.ErrorMaxTurns, 3, 5, false},
		{"a turn short", continuation.ErrorMaxTurns, 199, 200, false},
		{"the limit", continuation.ErrorMaxTurns, 200, 200, false},
		{"beyond the limit", continuation.ErrorMaxTurns, 201, 200, false},
		{"one of three", continuation.ErrorMaxTurns, 1, 3, true},
		{"one of two", continuation.ErrorMaxTurns, 1, 2, false},
		{"another ending", continuation.Success, 3, 200, false},
		{"an error", continuation.ErrorDuringExecution, 3, 200, false},
		{"no ending", "", 3, 200, false},
		{"turns not known", continuation.ErrorMaxTurns, 0, 200, false},
		{"limit not known", continuation.ErrorMaxTurns, 3, 0, false},
		{"negative turns", continuation.ErrorMaxTurns, -3, 200, false},
		{"negative limit", continuation.ErrorMaxTurns, 3, -200, false},
		{"turns are no number", continuation.ErrorMaxTurns, nan, 200, false},
		{"limit is no number", continuation.ErrorMaxTurns, 3, nan, false},
		{"endless turns", continuation.ErrorMaxTurns, inf, 200, false},
		{"endless limit", continuation.ErrorMaxTurns, 3, inf, false},
		{"a limit near the end of numbers", continuation.ErrorMaxTurns, 3, math.MaxFloat64, true},
		{"turns near the end of numbers", continuation.ErrorMaxTurns, math.MaxFloat64, math.MaxFloat64, false},
	}
	for _, tt := range tests {
		got := continuation.TurnBudgetAnomaly(continuation.TurnBudget{Ending: tt.ending, Turns: tt.turns, Requested: tt.requested})
		if (got != "") != tt.want {
			t.Errorf("%s: %v of %v after %q: %q", tt.reason, tt.turns, tt.requested, tt.ending, got)
		}
		if got != "" {
			says(t, got, "raising", "will not help", "version", "settings.json", "hooks")
		}
	}
	one := continuation.TurnBudgetAnomaly(continuation.TurnBudget{Ending: continuation.ErrorMaxTurns, Turns: 1, Requested: 200})
	golden(t, "anomaly_1", one)
	says(t, one, "after 1 turn,", "200")
	many := continuation.TurnBudgetAnomaly(continuation.TurnBudget{Ending: continuation.ErrorMaxTurns, Turns: 3, Requested: 200})
	golden(t, "anomaly_3", many)
	says(t, many, "after 3 turns,", "200")
}
