// Package session is the turn store of an agent: what was said and done, as
// append-only JSON lines in the shape of Claude Code's transcripts. The package
// transcript, and so `stophook scan`, reads what this one writes.
//
// # Where to start
//
// [NewStore] names a folder. [Store.Create], [Store.Open] and [Store.Fork] give a
// [Session], which is a [Thread] with a folder for the output of tasks. A thread
// is one conversation: a typed method for each thing that can be recorded, and
// [Thread.Messages], the conversation as a model takes it back.
// [Session.Subagent] gives the thread of a subagent.
//
//	<Root>/sessions/<id>/<id>.jsonl
//	<Root>/sessions/<id>/tasks/
//	<Root>/sessions/<id>/subagents/agent-<agent>.jsonl
//
// # What the caller decides
//
// The folder, the clock, ids, what is written and when a row is forced to the
// disk ([SyncPolicy]). Prices and totals are the caller's to compute; they are
// recorded with [Thread.RunEnd] and found again in [Thread.Totals].
//
// # What is promised
//
//   - A row is in the file when the call that recorded it returns (RT-11), whole,
//     with one write (RT-40). When a call fails, [Thread.Messages] still tells
//     what the file holds.
//   - A torn row is ended by the next writer, skipped by readers, and counted.
//   - A session has one writer. The second is told the first's process id
//     ([LockedError], RT-41).
//   - Messages are always ones that an API takes: they begin with the user, the
//     sides alternate, every tool use has one result, and no result is without
//     its use (RT-42). What a killed run left open is answered with an error.
//   - What is live and what is read back are folded by the same code, in order of
//     the file. Branches that the client's user went back from are not left out:
//     this package makes none, a fork is a session of its own.
//   - Folders are for their owner alone (0700, files 0600).
//
// # Rows
//
// Rows of the conversation are those that docs/claude-code.md measured, with
// everything short in front of the message. Two types are ours alone, and readers
// of transcripts skip them:
//
//   - agentcore-meta, the first row and one for every change: sessionId, agentId,
//     createdAt, version, cwd, model, entrypoint, gitBranch, permissionMode, title,
//     agentType, forkOf. Later rows change the fields that they have.
//   - agentcore-run, at the start and the end of a run: event, runId, model,
//     title, stopReason, error, usage, costUsd, unpriced, modelCalls, toolCalls, durationMs,
//     and totals, the sums of the thread's whole life up to here.
//
// # Forks
//
// Forks copy rows under a new session id and mark them with forkedFrom, so that
// no task of the original is taken for one of the fork.
package session
