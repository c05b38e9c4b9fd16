// Package builtin holds the tools that a coding agent needs: shell, read_file,
// write_file, edit, glob, grep and list_files, and for background tasks shell_kill
// and wait_task.
//
// # Where to start
//
// [All] gives every tool, [ReadOnly] those that change nothing; the New functions
// make one. Each tool is a Go file and a text of the same name, which is the
// description that the model reads. [tool.AdaptAll] fits them to an agent: without
// background work there is no run_in_background, no shell_kill and no wait_task.
//
// # What the caller decides
//
// Where commands run and files lie, and which paths may be touched: [tool.Env].
// Time limits of the shell, whether it may start tasks, and how much a search gives:
// [Options].
//
// # Background work
//
// What an agent offers ([tool.Offer]) decides what the model reads: who collects a task
// and when (headless, interactive, subagent), and which tools it has for that. The three
// tools reach the agent through [tool.Env].Tasks, so that it knows what they did and tells
// the model no end twice. There is no tool that lists tasks or reads their output: a
// launch names the file, and read_file and grep read it (AC-14). Commands in the
// foreground go through a file as well where the host may move them (Offer.Handoff), and
// run without one otherwise.
//
// # What is promised
//
//   - Every path is judged by [tool.Env.Resolve] before it is used. Files of this
//     machine are then reached through [tool.Place], which follows no link; those
//     of a context elsewhere through its execctx.Files. There times of change are
//     not known, so that glob sorts by name.
//   - A file is replaced as a whole or not at all, keeps its mode, and is written
//     through a link to where the link leads.
//   - Searches skip .git, and what .gitignore files name; they never go through
//     links into folders, and say what they left out.
//   - An edit needs no read before it: that its old text must be there, exactly and
//     once, is what protects a file that changed meanwhile.
//   - A call that asks for the background gets a task or an error, never a run in the
//     foreground (AC-4). A foreground command that is moved while it ends or is aborted
//     is exactly one of the two: a result, or a task that the result names.
//   - Receipts of tasks have the shape that package transcript reads: it finds each
//     task, how it got there, and an end that shell_kill or wait_task saw.
//   - What goes wrong is a result that says what to do next.
package builtin
