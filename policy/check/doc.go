// Package check finds what is wrong with policies before a session meets it, and
// formats them.
//
// Start with [Targets], which turns the folders and files that a person names
// into layers, and [Check], which looks at all of them and returns a [Report].
// [Report.WriteText], [Report.WriteSARIF] and [Report.WriteJUnit] print it; as
// JSON it is marshalled as it is. [Format] is OPA's formatter with the manners of
// a file tool.
//
// What the caller decides: which folders are layers, and in what order; which
// configuration files belong to them; whether warnings count.
//
// What is promised: one run reports every fault of every file, by file and line. A
// fault in one rule hides none in another: a rule that the compiler refuses is
// replaced by an empty one and the rest is compiled again. What has no error here
// loads in the hook. Nothing is evaluated, nothing is fetched, no file is changed,
// and no input makes it panic.
package check
