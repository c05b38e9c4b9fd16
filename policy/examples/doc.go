// Package examples holds ten worked rules for authors of policies, one folder a
// rule: NAME/NAME.rego, its Rego tests beside it, and below cases/ recorded-like
// sessions with the answer that the rule must give. ../README.md is the tutorial
// that goes through them.
//
// There is nothing to import here: the Go code is the tests that keep the rules
// true. Start with a folder, copy it, and change its code prefix and its
// parameters.
//
// What is promised: the rules are overlays like any author's, and never part of
// the built-in layer or of the hook; each loads by itself, passes its own tests,
// type-checks against the input schema, and answers every one of its cases as the
// case says.
package examples
