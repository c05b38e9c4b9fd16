// Package sessiontest compares what a transcript says with what its writer was
// told: the oracle of tests that record sessions (AC-182).
//
// # Where to start
//
// Keep a [Told] while the session is written, from what the test itself knows
// and not from the file, then call [Check] with the transcript's path.
// [Valid] looks whether messages are ones that an API takes (RT-42).
//
// # What the caller decides
//
// What is told. Lists that are nil are compared like empty ones: everything that
// the transcript shows must have been told.
//
// # What is promised
//
// The transcript is read by the package transcript, as a whole (ReadHistory), from
// its end (Read) and stop by stop (Stops), and all of it is compared. Nothing is
// written.
package sessiontest
