// Package proc runs one shell command as a process group and accounts for all of
// it: its output, its end, what it left behind.
//
// # Where to start
//
// [Start] starts a command. [Process.Done] is closed when it is over,
// [Process.End] says how, [Process.Terminate] ends it, and [Process.Release],
// after Done, ends what it left behind and gives its number back to the system.
//
// # What is promised
//
//   - The group keeps its number until Release has seen it empty: the leader's end
//     is observed without reaping it, so that no signal of ours can reach a
//     stranger who got the same number (EX-44).
//   - A command is over when its leader has ended and nobody in its group holds
//     the output any more. A process that left the group and still holds it is
//     waited for briefly, then said in [End.Escaped] (EX-51).
//   - Output is read in the order in which it was written, by one goroutine, and
//     is all delivered before Done.
//   - A waiting Process costs a goroutine for the output, one for the end where
//     they wait in the poller, and no buffer.
//   - A kill ends, too: processes that are not ours to signal, or that even SIGKILL
//     does not end, are named in [End.Survivors] after another grace. Only a leader
//     of that kind is waited for.
//
// Linux has all of this. Elsewhere on Unix the leader is reaped when it ends, and
// the group is watched by asking whether it can be signalled. Windows has no
// process groups of this kind: [ErrUnsupported].
package proc
