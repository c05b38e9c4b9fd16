// Package ci writes results in the forms that CI systems read: JUnit XML for test
// results, SARIF for findings in files.
//
// Start with [WriteJUnit] and [WriteSARIF]. Both take plain values.
//
// What the caller decides: what is a failure, what a problem of the whole run, and
// the order of everything.
//
// What is promised: the output is valid whatever the texts contain, and safe to look
// at in a terminal; characters that XML cannot carry are replaced. Nothing is taken
// from the clock or the machine.
package ci
