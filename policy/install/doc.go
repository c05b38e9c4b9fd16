// Package install puts stophook into the settings of a coding agent's host and
// takes it out again.
//
// Start with [Plan], which says what an installation would change, and
// [Change.Apply], which writes it. [PlanRemove] is the way back, [Found] lists
// every entry that calls stophook in every settings file that is known.
//
// What the caller decides: which host, which of its files ([Scope]), what the
// agent shall owe ([Profile]), and the path under which the host calls the program.
// Home, project, environment and operating system enter by [Env].
//
// What is promised:
//
//   - Planning writes nothing. A file that does not parse is never touched.
//   - Every byte of the file that is not ours stays: comments, order, indentation,
//     line ends, byte order mark. Installing and removing restores the file byte
//     for byte.
//   - A second installation changes nothing; one with another profile or path
//     changes the entries of the first in place.
//   - Before a file is replaced it is saved beside itself. It is replaced in one
//     step, keeps its mode, and a link stays a link. A file that somebody else
//     changed in the meantime is not replaced.
package install
