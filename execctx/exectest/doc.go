// Package exectest holds what tests of execution contexts need: a suite of the
// behaviours that every context owes, and a clock that a test moves.
//
// # Where to start
//
// A context of yours, in its own test:
//
//	func TestConformance(t *testing.T) {
//		exectest.Run(t, func(tb testing.TB) exectest.Subject {
//			c := mycontext.New(mycontext.Options{MaxTasks: 3, Grace: time.Second})
//			return exectest.Subject{
//				Context:   c,
//				Dir:       tb.TempDir(),
//				MaxTasks:  3,           // the limit that you set; 0: none is tested
//				Grace:     time.Second, // between SIGTERM and SIGKILL; 0: not tested
//				Processes: true,        // its commands are processes of this machine
//				Disk:      true,        // its files are files of this machine
//			}
//		})
//	}
//
// Each behaviour is a subtest whose name begins with its number in
// docs/requirements.md, as in "EX-5: a kill ends the whole group". A context that
// pretends finds what a command does with [Lookup]; [Play] does so for the mock.
// [NewClock] is a clock for contexts that take one.
//
// # What the caller decides
//
// What Subject says of the context: all that is not said is skipped. What the
// context itself says, with its capabilities and abilities, counts first.
//
// # What is promised
//
// A subtest that cannot be held is skipped by name, with what the context does
// not do as the reason; none passes unseen. Commands are short lines for
// /bin/sh that need sleep and grep. Nothing is left running: every handle of the
// suite is destroyed. No subtest waits for longer than Subject.Patience.
//
// Timers of a [Clock] fire in the order of their times, those of one time in the
// order in which they were armed, one after the other.
package exectest
