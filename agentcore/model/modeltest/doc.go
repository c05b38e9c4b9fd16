// Package modeltest holds adapters of agentcore/model to their contract, and
// lends a fake API to whoever needs one.
//
// # Where to start
//
// An adapter's test calls [Run]. It plays recorded shapes of answers from a
// server on the loopback, one file of testdata a case, and then tries what no
// file can say: a refused connection, a cancelled call, an early break, calls at
// once. [NewServer] and [NewServerFunc] are the same server for other tests: it
// answers with messages ([Answer]), failures ([Fail]), nothing ([Mute]), or bytes
// as they are ([Raw]), and keeps the requests.
//
// # What the caller decides
//
// How its adapter is made, and which checks do not apply to it, each with a
// reason that is printed.
//
// # What is promised
//
// Nothing leaves the loopback, no clock is waited for longer than some
// milliseconds, and a check of the suite fails for an adapter that breaks the
// rule it names: the suite's own tests break one on purpose for each.
package modeltest
