package main

// Exit codes, so that a script can tell the ends of a run apart.
const (
	exitFailed      = 1   // the model, the disk or this program failed
	exitUsage       = 2   // flags, files or keys that do not fit: nothing was run
	exitLimit       = 3   // a limit on turns, tokens, cost or time ended the run
	exitRefused     = 4   // the model refused
	exitStopped     = 5   // a hook ended the run (continue: false)
	exitTimeout     = 124 // `tasks wait` and its --timeout
	exitInterrupted = 130 // Ctrl-C or a termination
)

const appHelp = `agentcore - an agent that works in this directory and leaves a transcript

Usage:
  agentcore COMMAND [flags]

Commands:
  run        work on one prompt, then end
  resume     go on with a session
  sessions   the sessions that are kept
  tasks      the background tasks of a session: list, logs, wait, kill
  version    the version

Example:
  ANTHROPIC_API_KEY=… agentcore run -p "why does the build fail?" --model anthropic/NAME
  agentcore run -p hello --scripted script.yaml     # no key, no network
  agentcore tasks list --last                       # what runs on

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 a limit was reached, 4 the model
refused, 5 a hook ended the run, 124 a wait was too long, 130 interrupted.

Run ` + "`agentcore COMMAND --help`" + ` for flags.
`
