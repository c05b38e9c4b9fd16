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
// it, how Claude Code shows a block ([BlockStyle]), and what to do where a host
// cannot be held ([Event.CanBlock]). Every host has a file with its names and its
// answers; an [Event] carries Claude Code's names whatever the host calls them, so
// that who judges it sees one Stop. docs/hosts.md says what was measured where.
//
// Promised: no package state and no work at program start; every function is
// safe for concurrent use; a decoded Event shares no memory with its input.
package hookio
