// Package agenttest plays scenarios: one file says what the model answers, which
// tools and hooks there are, what happens from outside, and what is wanted.
//
// # Where to start
//
// [Run] plays every .txtar file of a folder. A file is a comment, which says why the
// scenario is there and which requirements it shows, and these parts:
//
//	script.yaml      the model's answers, see package scripted
//	agent.yaml       tools, gates, handlers of the bus, limits, subagents: [Setup]
//	settings.json    command hooks, in Claude Code's form
//	play.yaml        runs, and what happens in them: [Step]
//	want.events      what the runs yield, one event a line
//	want.messages    the conversation afterwards, as a model would get it
//	NAME             any other file is put into the working directory
//
// All but script.yaml and want.events may be missing; without a play.yaml there is one
// run with the prompt "go".
//
// # What the caller decides
//
// Nothing but the folder. With UPDATE_GOLDEN set, the wanted parts are written anew:
// read what changed.
//
// # What is promised
//
// A scenario runs in a bubble of testing/synctest: limits and waits pass at once, and a
// goroutine that stays is a failure. Folders are replaced and ids not shown, so that it
// reads the same everywhere. Calls that run beside each other begin in any order: their
// starts are sorted by the order of the calls, and where there are subagents, all that
// happened in each stands together. Every scenario is
// also held against what holds always: the conversation is one that an API takes,
// every tool use is answered once, the script was played to its end, the result is the
// last event, totals are the sum of what the model reported, and package transcript
// finds in the session what the events told.
package agenttest
