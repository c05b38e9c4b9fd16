// Package report writes recorded sessions as web pages that a person looks at:
// one session as a timeline with every decision explained, or what a policy would
// have done in many.
//
// Start with [WriteSession], which takes a transcript.History and what replay
// said of the same file, or with [WriteReplay] for many sessions.
// [NewDocument] is what the session's page shows, as data.
//
// What the caller decides: the time zone of the page, the instant that counts as
// now, and how many events a page may hold.
//
// What is promised:
//
//   - A page is one file. It loads nothing, works from a folder without a network,
//     and its own content policy forbids it to load or send anything.
//   - All text of transcripts, policies and files is data: html/template escapes
//     it where it stands, characters that hide or turn text round are shown by
//     their number, and the page's script only ever moves text as text.
//   - Without script the page is a list of all that it knows, with the decisions
//     in words; script adds the timeline, filters and the theme switch.
//   - The size is bounded by the options, whatever the session. What was left out
//     is said on the page.
package report
