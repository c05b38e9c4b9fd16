package continuation

import (
	"fmt"
	"strings"
)

// DefaultMaxNudges is how many rescue runs a turn gets. A nudge that was not needed
// costs one short run; a second one would ask the same of an agent that has shown
// that it does not answer.
const DefaultMaxNudges = 1

// NudgeState is all that the decision to nudge looks at.
type NudgeState struct {
	Mode        Mode
	Ending      Ending
	Outstanding int  // owed by the turn, not by its latest run (AC-150)
	Nudges      int  // that the turn has spent
	Aborted     bool // a person stopped the run
	MaxNudges   int  // of a turn; 0: DefaultMaxNudges, negative: none
}

// ShouldNudge tells whether to spend one more run on work that was left in the
// background (AC-159): nobody stopped the run, it ended as exactly success, something
// is owed, and a nudge is left. In an interactive session never (D-04).
func ShouldNudge(s NudgeState) bool {
	switch {
	case s.Mode == Interactive, s.Aborted, s.Ending != Success, s.Outstanding <= 0:
		return false
	}
	return s.Nudges < maxNudges(s.MaxNudges)
}

func maxNudges(n int) int {
	switch {
	case n == 0:
		return DefaultMaxNudges
	case n < 0:
		return 0
	}
	return n
}

// ClaudeNudge is the prompt of a rescue run of Claude Code (AC-160). It names both
// ways to collect, because the client writes a background shell's output to a file,
// and an agent that knows only the tool tends to start the command again. What ran
// in the background often ended with the process that had started it, so it also
// says what to do with output that stops short.
func ClaudeNudge(outstanding int) string {
	what, each := "a background task that you had started was still running, or its output had not been read", "Retrieve its output"
	if outstanding > 1 {
		what = fmt.Sprintf("%d background tasks that you had started were still running, or their output had not been read", outstanding)
		each = "Retrieve the output of each"
	}
	return "You ended your turn while " + what + ". Nothing resumes a turn here and no notification will come, " +
		"so it has to be picked up now.\n\n" +
		each + ": read the .output file that the launch reported, or call BashOutput (TaskOutput where that is its name) with the task's id. " +
		"If it has not finished, wait until it has; " +
		"but do not wait for what never finishes, such as a server: stop it, or say that it is meant to go on. Then complete the work that is left.\n\n" +
		"Do not start a command again only to see its output. If the output stops short because the task was ended together with your turn, " +
		"run what is still needed in the foreground.\n\n" +
		"If everything has finished and nothing is left to do, say so in one line."
}

// NativeNudge is the prompt of a rescue run of our own runtime: it names the tasks,
// with their output files as the launches reported them, and the tools that the
// agent has for them.
func NativeNudge(outstanding int, owed []Task, tools Tools) string {
	var b strings.Builder
	if outstanding == 1 {
		b.WriteString("You ended your turn while a background task that you had started was still running, or had ended without your knowing how.")
	} else {
		fmt.Fprintf(&b, "You ended your turn while %d background tasks that you had started were still running, or had ended without your knowing how.", outstanding)
	}
	list(&b, owed)
	b.WriteString("\n\nNothing resumes a turn here and no notification will come, so this has to be picked up now.")
	b.WriteString(tools.collect())
	b.WriteString(" Then complete the work that is left.\n\nDo not start a command again only to see its output. " +
		"If nothing is left to do, say so in one line.")
	return b.String()
}
