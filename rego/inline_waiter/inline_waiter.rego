# METADATA
# title: Inline waiter
# description: A shell command does not wait for background work with sleep and poll loops, the host's task handle does.
# custom:
#   code: stop-hook.inline_waiter
#   severity: block
#   deferrable: false
#   events: [PreToolUse]
#   order: 10
package stophook.rules.inline_waiter

demand contains {"text": concat("", ["Do not wait for background work inside a shell command (", concat("; ", found), "). ", handle, " `wait $pid` for a child of the same command is fine."])} if {
	trim_prefix(input.tool.name, "functions.") in {"Bash", "Execute", "Shell", "bash", "exec_command", "local_shell", "run_in_terminal", "run_shell_command", "shell", "shell_command"}
	count(found) > 0
}

found := [sprintf("line %v: `%s`", [w.line, substring(w.text, 0, 160)]) |
	some w in input.tool.shell.waits
	w.kind in {"sleep_loop", "poll_loop", "watch", "follow", "sleep_then_read"}
]

handle := "Nothing wakes you on this host when background work ends: run the command in the foreground, or look at its output once." if elsewhere

handle := waking if not elsewhere

waking := "Nothing resumes a turn here: call TaskOutput with the task's id, which waits for it, or read its output file." if input.host.mode == "headless"

else := "End your turn: the notification of the task wakes you. Or look once: read the task's output file, or call TaskOutput."

elsewhere if input.host.name != "claude-code"
