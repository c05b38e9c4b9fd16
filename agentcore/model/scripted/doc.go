// Package scripted is a model that is played from a list: for tests of what is
// around a model, for demonstrations, and for writing down how a session goes.
//
// # Where to start
//
// [Play] takes steps in Go, [Load] and [Parse] read a script in YAML or JSON:
//
//	steps:
//	  - expect: {text: list the files}
//	    text: Let me look.
//	    tools:
//	      - {name: shell, input: {command: ls}}
//	  - expect: {tool_result: main.go}
//	    text: There is one file.
//
// # What the caller decides
//
// Which step answers which request. Steps are played once and in order; one with
// `when` is only for requests that match, and comes before those without: give
// subagents such steps, since nobody knows whose request comes first. A step can
// be late (delay), come in pieces (chunk), wait until a test lets it go (wait,
// [Model.Release]), fail (error) or break off (cut).
//
// # What is promised
//
// A request that no step answers, or that is not as the step expects, fails with
// an error that names the step, its file and line, what was expected and what
// came. Nothing is ever answered with an empty text because the script was over.
// Ids depend on the step alone, so that two runs of a script agree, and differ
// from those that a conversation has already. A Model is safe for concurrent use.
package scripted
