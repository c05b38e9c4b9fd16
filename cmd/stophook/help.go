package main

// Help texts are written by hand: each shows what to type, and one example that
// can be pasted.

const appHelp = `stophook - a Stop hook for coding agents that decides with Rego policies

The host runs ` + "`stophook hook`" + ` when the agent ends its turn. The turn may end, is
sent back with a reason, or is let go for now because the agent's own command
still runs in the background.

Usage:
  stophook COMMAND [flags]

For the host:
  hook       decide one hook event (JSON on stdin, the answer on stdout)

To set it up:
  install    put the hook into a host's settings
  uninstall  take it out again
  init       a commented configuration and a folder for rules
  doctor     prove that the gate is live, and find what is wrong

For the agent, as evidence:
  status     the guarded status check; prints the status box
  task       declare the task of this session
  name       name this session

For people:
  log        the decisions that were taken
  sessions   the sessions that were seen, and how they stand
  scan       what a transcript tells: turn, tasks, handoffs, debt
  explain    the same decision as hook, with the rows and rules that led to it
  schema     JSON Schemas of the documents
  version    version and build

For policy authors:
  policy     new rules, and the rules in force
  check      parse, type and METADATA errors, before a session meets them
  fmt        format policies
  test       Rego tests and recorded cases, with coverage
  replay     what a policy would have done in recorded sessions
  diff       where two policies differ in recorded sessions
  report     one session as a page to look at

Example:
  stophook install --profile observe && stophook doctor

Run ` + "`stophook COMMAND --help`" + ` for flags.
`
