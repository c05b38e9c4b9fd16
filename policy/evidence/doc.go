// Package evidence keeps what one agent session has proved: an event ledger, a
// small state file, the guarded Git check, and the status box that shows a
// check to people (DESIGN section 4).
//
// Start with [Store]: Store{Dir: dir}.Session(id) names a session, and
// [Session.Events] and [Session.Load] read it without creating anything.
// [Session.Status], [Session.DeclareTask] and [Session.NameSession] are what the
// agent's commands call; [Session.Append] and [Session.Update] are what hooks call.
// [CheckGit] stands alone.
//
// What the caller decides: the folder ([DefaultDir] knows the usual one), how
// long to wait for the lock ([Store.LockWait]), whether Git finalization is
// required, and what a failure means. The package never turns a failure into
// an answer: a missing file is empty, an unreadable one is an error.
//
// What is promised:
//   - The ledger is append only. One event is one line in one write under a
//     lock; what a crash tore stays in the file and is skipped and counted.
//   - The state is replaced whole, by rename, under the same lock. Readers need
//     no lock. A state that cannot be understood is an error, so a caller that
//     counts before it blocks cannot block uncounted (D-38).
//   - Below Dir no symbolic link is followed, folders are 0700 and files 0600.
//   - Nothing is flushed to the disk platter (no fsync): the ledger guards
//     against forgetting, not against power loss. A lost event costs one more
//     status check, while a flush would cost every hook milliseconds.
//
// An agent with a shell can write these files itself. They protect honest
// agents that forget; keeping others out is the work of a sandbox.
//
// Everything here is safe for concurrent use by goroutines and processes. On
// systems without flock every operation on a session fails with
// [errors.ErrUnsupported].
package evidence
