// Package doctor proves that the gate is live: that the host will call stophook,
// that the call works, and that nothing beside it takes the gate away.
//
// Start with [Examine], which looks and changes nothing, and gives a [Report]. Then
// [Report.Repair] does what can be done safely.
//
// What the caller decides: the machine it looks at ([Options]: environment, folders,
// clock, how a process is started), the host it is asked about, and what to do with
// the findings.
//
// What is promised:
//   - Every installed command is run as its host runs it, with a sample turn that has
//     to be held. Its evidence and log go to a folder that is removed afterwards.
//   - Examining writes nothing else, but for a file that is made and removed to see
//     whether the state folder can be written.
//   - A repair never loosens anything: it closes folders, corrects a stale path and
//     removes what is old.
//   - What cannot be seen from here is said in [Report.Limits].
package doctor
