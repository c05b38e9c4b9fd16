// Package hookio is the wire between a coding agent's host and a hook program:
// what the host writes to the hook's stdin, and what it reads from its stdout.
//
// Start with [Read] and [Decode], which turn stdin into an [Event]. Then build
// an [Answer] with [Allow], [Block], [Deny] or [Context] and let [Encode] write
// it. The program prints those bytes and exits with [ExitCode], always.
//
// Reading is tolerant: byte order marks, UTF-16, NUL padding, unknown fields,
// unknown events and fields of an unexpected type are accepted, and what could
// not be understood costs that one field. Only what is no JSON object at all is
// an error. Absent and empty stay apart: the host says "no background task" with
// an empty list and "I cannot tell" by leaving the list out.
//
// Writing is strict. Claude Code ignores, without a word to anybody, a hook that
// exits with 1, prints text before its JSON, or prints a value it does not know
// (claude-code section 4): the gate is simply gone. An Answer therefore has no
// exported field, its texts are cleaned and bounded when it is built, and Encode
// knows which answers an event can carry; where an answer has no legal form it
// returns an error and no byte, never something the host would drop.
//
// What the caller decides: the host when the payload must not be trusted to tell
// it, how a block is shown ([BlockStyle]), and what to do on a host that cannot
// be blocked ([Event.CanBlock]). Only Claude Code is built out. Payloads of other
// hosts are recognised and decoded as far as their names are known, so a caller
// can let them pass under a code of its own.
//
// Promised: no package state and no work at program start; every function is
// safe for concurrent use; a decoded Event shares no memory with its input.
package hookio
