// Package transcript rebuilds what a coding agent's session did from the tail of
// its transcript: the present turn, background tasks and how they got there,
// handoffs, debt, and the status boxes shown.
//
// Start with [Read]: it takes the path of a Claude Code style JSONL file and
// [Options], and returns a [Session], a plain value. [Notices] and [CallDebt]
// are the two rules that other loops share.
//
// For recorded sessions there are [Stops], every point at which the agent stopped,
// and [Walk], which also reads the session as it was at each of them, in one pass
// over a file of any size.
//
// What the caller decides: the clock (Options.Now, for ages), the session it
// asks about (Options.SessionID, so that a fork's copied rows open nothing), and
// the two windows. Which closing mode counts is not decided here: a [Handoff]
// carries both answers.
//
// What is promised:
//
//   - The reader never fails on content. Broken, padded, torn and unknown rows
//     are skipped and counted; fields of another type are as good as absent.
//   - Only structure opens a task or a handoff, any text can close one (D-11).
//     Forged text therefore only ever makes a gate stricter.
//   - Position in the file decides what is later, timestamps only decide ages.
//   - What could not be seen is said in Session.Blind: blind is not idle.
//   - Memory is bounded by the buffer, the index and one row at a time, whatever
//     the size of the file, and most rows are never decoded: a first pass finds
//     rows, heads and a few byte needles, a second decodes what these point at.
//
// The rules are those of docs/requirements.md (TR-, AC-150 to AC-167, D-), the
// row shapes those that docs/claude-code.md measured.
package transcript
