package proc

import (
	"fmt"
	"strings"
)

// LostEnd is why the exit code of a command is not known.
const LostEnd = "the exit code is lost: another part of this program waited for all child processes, and got it"

// Warnings says, in sentences, what a command left behind, and what of its output
// may be missing for that (EX-51).
func (e End) Warnings() []string {
	var warnings []string
	if e.Lost {
		warnings = append(warnings, LostEnd)
	}
	if e.Escaped {
		who := "a process"
		if len(e.Holders) > 0 {
			who = Names(e.Holders)
		}
		warnings = append(warnings, who+" left the process group, as a daemon does, and still held the output: "+
			"it was not ended, and what it writes later is not kept")
	}
	if len(e.Survivors) > 0 {
		warnings = append(warnings, Names(e.Survivors)+" of the process group still ran when the command was over: "+
			"ended at the latest when the handle is destroyed")
	}
	return warnings
}

// Names lists processes in words.
func Names(pids []int) string {
	if len(pids) == 1 {
		return fmt.Sprintf("process %d", pids[0])
	}
	return "processes " + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(pids)), ", "), "[]")
}
