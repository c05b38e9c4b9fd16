package stophook.rules.inline_waiter_test

import data.stophook.rules.inline_waiter

call(tool, kinds, mode) := {
	"host": {"mode": mode},
	"tool": {"name": tool, "shell": {"parsed": true, "waits": [{"kind": k, "text": "while sleep 1; do :; done", "line": 2} | some k in kinds]}},
}

denied(tool, kinds) if count(inline_waiter.demand) == 1 with input as call(tool, kinds, "interactive")

# PO-14: every shell tool, and every kind of waiting.
test_tools if {
	every tool in ["Bash", "Shell", "shell_command", "exec_command", "functions.exec_command", "functions.Bash"] {
		denied(tool, ["sleep_loop"])
	}
}

test_kinds if {
	every kind in ["sleep_loop", "poll_loop", "watch", "follow", "sleep_then_read"] {
		denied("Bash", [kind])
	}
}

test_other_tools_pass if not denied("Read", ["sleep_loop"])

test_other_kinds_pass if not denied("Bash", ["sleep"])

test_no_waits_pass if not denied("Bash", [])

test_text_names_the_handle if {
	some d in inline_waiter.demand with input as call("Bash", ["poll_loop"], "interactive")
	contains(d.text, "line 2: `while sleep 1; do :; done`")
	contains(d.text, "End your turn: the notification of the task wakes you")
	contains(d.text, "`wait $pid`")
}

test_headless_is_not_told_to_end_the_turn if {
	some d in inline_waiter.demand with input as call("Bash", ["watch"], "headless")
	not contains(d.text, "End your turn")
	contains(d.text, "call TaskOutput")
}

# The shell tools of other hosts, where nothing ever wakes the agent.
test_other_hosts if {
	every tool in ["run_shell_command", "bash", "Execute", "local_shell", "run_in_terminal"] {
		some d in inline_waiter.demand with input as object.union(call(tool, ["sleep_loop"], "unknown"), {"host": {"name": "gemini"}})
		contains(d.text, "Nothing wakes you on this host")
	}
}
