// Package continuation decides what happens after a run of a coding agent came
// back: whether its turn is over, whether the agent is asked once more to collect
// background work that it left, and what a person is told when it does not.
//
// A run can end cleanly on unfinished work: the model starts a command in the
// background, says that it will wait for it, and ends its turn. Where nothing
// resumes a turn, as in `claude -p`, that work is lost, and the run looks like a
// success. Nothing here looks at what the model said: calls are the same in every
// language.
//
// Start with [Turn], which is one prompt of a person with all the runs that it
// took: fold the calls into its [Debt], give every end of a run to [Turn.Ended],
// and do what the [Step] says. For hosts of Claude Code there is [Stream], which
// reads the lines of --output-format stream-json; for tasks with ids and known
// ends there is [Ledger]. The rules by themselves are [ShouldNudge], [Ladder],
// [StrandedNotice] and [TurnBudgetAnomaly]; [Instruction] is the part of the system
// prompt that makes all of them rarely needed.
//
// What the caller decides: the mode of a run ([Headless] or [Interactive], never
// both, D-04), the dialect of its tools, how many nudges and continuations a turn
// may spend, and everything about running the agent.
//
// What is promised:
//
//   - Functions are pure, values belong to one goroutine, and nothing reads a clock,
//     a file or the environment.
//   - A turn is finite: it takes at most 1 + nudges + continuations runs, whatever
//     the agent does.
//   - One stop is answered once: a nudge is for clean ends, the ladder for all
//     others, and neither comes on top of the other (AC-167).
//   - What is owed lives as long as the turn. A rescue run that only talks changes
//     nothing, so the person is told (AC-162).
//   - There is one fold of calls, [transcript.CallDebt], here as in the transcript
//     reader and the Stop hook (AC-166).
//
// Known limits, of calls alone (AC-164): what collects is not paired with what was
// started, so a read of another task's output file pays; and work put into the
// background by shell syntax (&, nohup, tmux) is not seen. The first costs a missed
// nudge in a rare case and is closed by [Ledger], where results are seen. The second
// is what [Instruction] is for. Both are tested as limits.
package continuation
