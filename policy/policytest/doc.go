// Package policytest runs the tests of policy authors: Rego unit tests, and cases,
// which are recorded or written Stop events with the answer that is wanted.
//
// Start with [Run]; it gives a [Report], which [Report.WriteText],
// [Report.WriteJSON] and [Report.WriteJUnit] print. [NewWatch] tells when to run
// again. [LoadCase] reads a single case.
//
// # Rego tests
//
// Files named _test.rego hold rules that begin with test_. They run through OPA's
// own tester, with what the hook allows policies and nothing more: Rego v1, no
// network, no clock, no chance, and an error of a builtin is an error of the test.
// The built-in rules are there, so that tests may import data.stophook.rules.NAME.
// A rule that begins with todo_test_ is skipped. A test_x[name] rule is one test
// for every name that it goes through. Unlike OPA, one that goes through none
// fails: it would pass whatever the rule said.
//
// # Cases
//
// A case is a folder that holds want.json; by convention RULE/cases/NAME. Beside it:
//
//   - stdin.json: what the host sends to the hook. @CASE_DIR@ in it, and in want.json's
//     env, stands for the folder.
//   - transcript.jsonl: the session's transcript at that moment. It may be left out
//     when stdin.json names no transcript in the folder.
//   - ledger.jsonl, optional: the evidence of the session, as stophook keeps it.
//   - config.yaml, optional: a configuration.
//   - notes for people, named *.md.
//
// Any other file is an error, and so is a .rego file in there, because the hook
// would read it as a policy. want.json is one object with
//
//   - reason (required): why the answer is what it is
//   - now (required): the clock to decide with, RFC 3339
//   - verdict: allow, block or defer
//   - code: the decision's code, in full, such as stop-hook.pass
//   - reason_must_mention, reason_must_not_mention: lists of parts of the text for
//     the agent
//   - demands, no_demands: codes that must, or must not, be among the demands,
//     whatever their severity, deferred ones included
//   - env: the environment of the hook, an object of texts; nothing else of the
//     environment is seen
//   - only: true switches off every rule and deferral but those of the rule folder
//     that the case lies in (the nearest folder around it that has policies; without
//     one, all policies of DIR stay), so that it says nothing about other rules
//
// It has to ask for something: verdict, code or one of the lists. An unknown key, a
// key given twice, and a value of the wrong type are errors that name file and line.
//
// A case is decided as the hook would do it, by [policy.Gate], with the built-in
// rules and the policies under test as one layer. The machine's own configuration
// and policies do not count. A decision that stophook's own failure made
// (policy_error, evidence_unavailable) fails the case unless its want.json names
// that code.
//
// # What a DIR is
//
// All policies below DIR are the layer, as with `stophook hook --policy DIR`, and
// all tests and cases below DIR run. A DIR may be one _test.rego file; its folder has
// the policies. A DIR without policies, such as RULE/cases or one case, takes those
// of the nearest folder above it that has some directly in it, looking three folders
// up, or of the folder around a folder called cases.
//
// When policies directly in DIR ask for a package that is not there, it is looked for
// in the folder above DIR and in the folders beside it, so that one rule folder of
// many can be tested alone. [Report.Notes] says what was taken.
//
// A DIR with the package stophook.main, or a folder of a built-in rule beside it, is a
// copy of the built-in rules: its files take their place in Rego tests. Cases are
// decided by the rules that this program was built with.
//
// # What the caller decides
//
// The folders, what to run of them, how many workers, and what becomes of the
// report. [Report.ExitCode] is what a command should exit with.
//
// # What is promised
//
// Reports list tests in the same order whatever the workers did. Nothing is written
// but a temporary folder, which is removed. A run that found no test has failed.
// Everything is safe for concurrent use; no goroutine outlives a call.
package policytest
