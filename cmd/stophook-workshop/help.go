package main

// appHelp is what `stophook-workshop` alone prints; `stophook help` lists the same
// commands beside those of the hook.
const appHelp = `stophook - the workshop for policy authors

Usage:
  stophook COMMAND [flags]

Write:
  policy     new rules, and the rules in force
  check      parse, type and METADATA errors, before a session meets them
  fmt        format policies
  test       Rego tests and recorded cases, with coverage

Try:
  replay     what a policy would have done in recorded sessions
  diff       where two policies differ in recorded sessions
  report     one session as a page to look at

Example:
  stophook policy new changelog && stophook test

Run ` + "`stophook COMMAND --help`" + ` for flags.
`
