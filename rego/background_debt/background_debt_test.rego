package stophook.rules.background_debt_test

import data.stophook.rules.background_debt

tasks := [
	{"id": "b1", "command": "python sweep.py", "output_file": "/tmp/tasks/b1.output"},
	{"id": "b2", "command": "make all"},
]

in_mode(mode, running, nudged) := {"host": {"mode": mode}, "tasks": tasks, "turn": {"notified": []}, "debt": {"owed": running, "nudged": nudged}}

# AC-160: each task, its command, and both ways to collect it.
test_nudge if {
	some d in background_debt.demand with input as in_mode("headless", ["b1", "b2", "b3"], false)
	contains(d.text, "nothing resumes this turn")
	contains(d.text, "b1 (`python sweep.py`), output: /tmp/tasks/b1.output")
	contains(d.text, "b2 (`make all`), output: the .output file that the launch reported")
	contains(d.text, "b3 (`command not seen`)")
	contains(d.text, "Read that .output file, or call TaskOutput (BashOutput in older versions)")
}

test_no_second_nudge if count(background_debt.demand) == 0 with input as in_mode("headless", ["b1"], true)

# AC-161: the stranded notice, singular and plural.
test_stranded_one if {
	some n in background_debt.notice with input as in_mode("headless", ["b1"], true)
	startswith(n, "1 background task was never collected")
	contains(n, "b1 (`python sweep.py`)")
	contains(n, "Send another message, or look in the working directory")
}

test_stranded_many if {
	some n in background_debt.notice with input as in_mode("headless", ["b1", "b2"], true)
	startswith(n, "2 background tasks were never collected")
}

# A headless client waits for a shell and then begins a turn with its notification: that task is no stranded one.
test_not_stranded_when_told if {
	told := object.union(in_mode("headless", ["b1", "b2"], true), {"turn": {"notified": ["b1"]}})
	some n in background_debt.notice with input as told
	startswith(n, "1 background task was never collected")
	contains(n, "b2 (`make all`)")
	count(background_debt.notice) == 0 with input as object.union(told, {"turn": {"notified": ["b1", "b2"]}})
}

test_no_notice_before_the_nudge if count(background_debt.notice) == 0 with input as in_mode("headless", ["b1"], false)

test_nothing_running if count(background_debt.demand) == 0 with input as in_mode("headless", [], false)

# Elsewhere the notification of the task resumes the work.
test_interactive if count(background_debt.demand) == 0 with input as in_mode("interactive", ["b1"], false)

test_unknown_mode if count(background_debt.demand) == 0 with input as in_mode("unknown", ["b1"], false)
