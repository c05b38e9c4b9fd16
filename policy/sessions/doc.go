// Package sessions tells which agent sessions stophook has seen, and how each of
// them stands: its name and task, its last verdict, the blocks in a row, and what
// still runs or was never collected.
//
// Start with [List]. What it knows comes from three places, each of which may be
// gone: the folders of the state store, the decision log, and the transcripts that
// the log names.
//
// What the caller decides: the store and the log, the clock, how far back to look
// and how many sessions to show, and the configuration of a session's project.
//
// What is promised: nothing is written and no lock is taken. What could not be read
// is said in [Session.Notes] and costs that session alone. The lists are never nil.
package sessions
