// Package shell answers questions about one shell command line by parsing it,
// never by matching patterns on its text.
//
// Start with [Parse] (or [ParseFor] when the name of the host's tool is known)
// and ask the [Script]:
//
//   - [Script.Background]: what is still running after the call returned (DESIGN section 3).
//   - [Script.Waits]: does it wait in the shell, for the inline-waiter guard (PO-14).
//   - [Script.Reads]: which files does it read, to see that a task's output was harvested (AC-154).
//   - [Script.EvidenceCall]: is it, in the end, one of our own evidence commands.
//   - [Script.Simple]: the commands that stand there in plain sight, for policy authors.
//
// [MayBackground], [MayWait] and [MayBeEvidence] are scans of the bytes that
// never say no where the parse would say yes. Ask them first: nearly every
// command ends there and is never parsed.
//
// # What is looked through
//
// Wrappers (env, sudo, timeout, nice, nohup, command, exec, xargs and their
// like), shells with a command string or a script on standard input (sh -c,
// bash -lc, bash <<EOF, echo … | sh), eval, trap … EXIT, find -exec, subshells,
// command and process substitutions, and functions of the same script where
// they are called. Shells inside shells are parsed again to a depth of 8.
//
// # What the caller decides
//
// What a finding means. This package only tells facts; a policy denies or not.
// It also decides what a script means that could not be parsed: Parsed is then
// false, every answer is empty, and Reason says why.
//
// # Promises
//
// No function panics, none runs or opens anything, and the work is bounded:
// 64 KiB of text, 20,000 commands, 400 levels of nesting. A Script is immutable
// and safe for concurrent use.
//
// # Known limits
//
// Scripts in files, aliases, variables that hold commands, and what a remote
// host or a container runs are not seen. Waiting and killing are read
// lexically: a wait in one branch of an if counts. A wait or kill whose
// argument cannot be resolved counts for the latest job. A container that is
// started with -d and stopped again in the same line is still reported.
package shell
