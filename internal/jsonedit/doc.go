// Package jsonedit changes single values of a JSON file that people write by hand
// and keeps every other byte: comments, trailing commas, order, indentation, line
// ends and byte order mark.
//
// Start with [Parse]. The [Document] finds values ([Document.Get]), and [Document.Insert],
// [Document.Replace] and [Document.Remove] give a new document; the old one stays
// as it was. What is inserted is laid out as its surroundings are.
//
// What is promised: Remove undoes Insert byte for byte, as long as the container
// had a member or element before. What stood between the brackets of an empty one
// cannot be known afterwards: see [Document.SetInterior]. A text that is no JSON
// (with comments and trailing commas, as editors allow them) is an error with its
// line, and never changed.
package jsonedit
