// Package task is what an agent knows of its background tasks' ends, and how it tells
// its model: the notification block, its reader, what was told already, and in which
// order the rest is told.
//
// Start with [Exit] and [Exit.Block], which is the text that the model reads, and
// [Parse], which reads it back. [Latch] remembers what the model knows, [Queue] what it
// has to be told.
//
// The caller decides what is told when, and which texts are to be trusted: a block that
// somebody typed looks like one that was delivered, and only the caller can tell them
// apart (D-28).
//
// Everything here is a value or a function of its arguments: no clock, no files, no
// locks. Any bytes survive the way from an Exit into a block, a transcript and back, but
// those that XML forbids, which become U+FFFD (D-26).
package task
