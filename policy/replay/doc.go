// Package replay judges recorded sessions under a policy: it finds every point at
// which an agent stopped, rebuilds what the hook would have seen at that moment,
// and asks the same engine through the same code as the hook.
//
// Start with [Run], which takes files or folders of Claude Code transcripts and
// gives one [Result]; [Diff] judges the same stops under two policies and keeps
// those whose answers differ. [DefaultPath] is where the host keeps its sessions.
//
// What the caller decides: the policies and the configuration, the folder of
// evidence ledgers, the earliest time, how many workers, and where progress goes.
//
// What is promised:
//
//   - A stop is judged by the bytes that the file had then, with the time of its
//     final row as the clock, the evidence that existed by then, and the history of
//     blocks that this policy would have made, the cap included.
//   - The result does not depend on the number of workers.
//   - Nothing is written, and nothing but the named paths and the store is read.
//   - A file that cannot be read is reported and ends nothing.
//   - What cannot be rebuilt is said, in [Result.Limits] and in the notes of a
//     session, and never guessed.
//   - Memory is bounded by the workers and the transcript window, and by the list of
//     stops.
//
// Where evidence comes from: the ledger that the hook's commands wrote, when the
// store has one for the session, or one lies beside it (a case: ledger.jsonl in the
// folder of a transcript.jsonl). Otherwise the transcript: an evidence command
// whose result shows that it worked counts as the event that it would have
// written. A session with neither has no evidence, and its stops are judged so.
package replay
