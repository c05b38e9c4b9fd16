// Package decisionlog writes and reads the decision log: one line of JSON for
// every decision, in the event format of OPA's decision logs, so that tools made
// for OPA can read it. What OPA has no field for stands inside `custom`.
//
// Start with [Writer] to append and with [Read] to go through the log later.
// [Redact] is useful by itself wherever text of a session is shown.
//
// What the user decides: where the log is ([Writer.Path]), at which size it
// rotates ([Writer.MaxBytes]), and what is masked ([Mask], in OPA's syntax).
//
// What is promised:
//   - A line is whole or absent. It is one write under a lock; a tail that a
//     crash left torn is ended first, so it never swallows the next event.
//   - No event is lost to a lock: who cannot get it in time writes a side file
//     of its own process, which [Read] merges in.
//   - Known forms of secrets are replaced in every string and cannot be switched
//     on again. This is a net with holes, not a proof: see [Redact].
//   - The caller's values are never modified and never kept.
//   - A logged input can be replayed: whatever differs from the original is
//     listed, by path, in erased (gone) or masked (replaced, redacted or cut).
//   - Nothing is flushed to disk on the spot. A power cut may take the last
//     seconds of the log; a decision must not wait for a disk.
package decisionlog
