// Package task is what the model and the person are told about background tasks:
// that one ended ([Exit]) or fell silent ([Stall]), as text, as an event and as a
// line on a screen, and which of these were told already ([Latch]).
//
// # Where to start
//
// [FromExit] and [FromEntry] take over what an execution context says.
// [Queue] holds what an agent has to tell, until its next run begins;
// [Exit.Block] and [Stall.Block] write the text that the model gets. [Parse] and
// [ParseAll] read such texts again, also older ones and those of Claude Code
// (D-01). [FromBlocks] makes the latch out of the history of a session,
// [EventsFromTurns] what a screen shows of it.
//
// # What the caller decides
//
// Which texts are trusted. A latch is made of texts that were written by the
// drain of a queue, never of what a person typed or a tool printed (D-11, D-28):
// the caller knows the origin of a text, this package does not. Likewise
// when something is latched: before it is taken out of the queue (AC-35), and when
// the model learned of an end in another way (AC-60 to AC-63).
//
// # What is promised
//
// Everything here is a value or a function of values: no clock, no lock, no
// goroutine, no file. Nothing is safe for concurrent use while it is changed.
// Any bytes can stand in a command: what was written is read back as it was,
// but for bytes that are no text, which become U+FFFD (D-26). No input makes
// a reader panic, and the time it takes grows with the length of its input. No
// exit code is invented: a task whose end nobody saw has none.
package task
