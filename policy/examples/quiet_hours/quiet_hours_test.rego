package stophook.rules.quiet_hours_test

import data.stophook.rules.quiet_hours

before(command, now, hours) := {
	"host": {"event": "PreToolUse"}, "now": sprintf("2026-10-05T%s:00.000Z", [now]),
	"tool": {"name": "Bash", "input": {"command": command}}, "config": {"params": {"quiet_hours": hours}},
}

texts(command, now, hours) := out if out := {d.text | some d in quiet_hours.demand} with input as before(command, now, hours)

test_at_night if {
	texts("git push", "23:05", {}) == {"Quiet hours: `git push` is not run between 22:00 and 07:00, and it is 23:05. Keep the work until then: `git commit`."}
}

test_quiet[now] if {
	some now in ["22:00", "23:59", "00:00", "06:59"]
	count(texts("cd api && git push origin main", now, {})) == 1
}

test_by_day[now] if {
	some now in ["07:00", "12:00", "21:59"]
	count(texts("git push", now, {})) == 0
}

test_within_one_day if {
	hours := {"from": "12:00", "to": "13:30"}
	count(texts("git push", "13:29", hours)) == 1
	count(texts("git push", "13:30", hours)) == 0
	count(texts("git push", "11:59", hours)) == 0
}

test_never if count(texts("git push", "23:00", {"from": "00:00", "to": "00:00"})) == 0

test_elsewhere if {
	some text in texts("git push", "20:30", {"utc_offset_minutes": 330})
	contains(text, "it is 02:00")
	count(texts("git push", "23:30", {"utc_offset_minutes": -480})) == 0
	count(texts("git push", "05:00", {"utc_offset_minutes": -420})) == 1
}

test_other_commands[command] if {
	some command in ["git status", "git commit -m 'git push'", "make deployment", "echo git push"]
	count(texts(command, "23:00", {})) == 0
}

test_commands_by_parameter if {
	count(texts("bin/ship now", "23:00", {"commands": ["bin/ship"]})) == 1
	count(texts("git push", "23:00", {"commands": ["bin/ship"]})) == 0
	count(texts("git push", "23:00", {"commands": []})) == 0
}

test_a_tool_without_command if count(quiet_hours.demand) == 0 with input as object.union(before("", "23:00", {}), {"tool": {"name": "Read"}})

stop(now, git) := {
	"host": {"event": "Stop"}, "now": sprintf("2026-10-05T%s:00.000Z", [now]),
	"evidence": {"status_check": {"git": git}}, "config": {"params": {}},
}

test_the_person_hears_what_waits if {
	quiet_hours.notice == {"Quiet hours: 2 commits wait to be pushed after 07:00."} with input as stop("23:00", {"ahead": 2})
	count(quiet_hours.demand) == 0 with input as stop("23:00", {"ahead": 2})
}

test_nothing_waits if {
	count(quiet_hours.notice) == 0 with input as stop("23:00", {"ahead": 0})
	count(quiet_hours.notice) == 0 with input as stop("12:00", {"ahead": 2})
}
