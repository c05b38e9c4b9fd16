// Package exectest holds what tests of execution contexts need: a clock that a
// test moves, and a suite of the behaviours that every context owes.
//
// # Where to start
//
// [NewClock] is a clock for contexts that take one.
//
// # What is promised
//
// Timers of a [Clock] fire in the order of their times, those of one time in the
// order in which they were armed, one after the other.
package exectest
