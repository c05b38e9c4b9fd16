package stophook.rules.wait_for_monitors_test

import data.stophook.deferrals.monitors_running
import data.stophook.rules.wait_for_monitors

monitor := {"id": "bmon1", "kind": "monitor", "state": "running", "description": "CI of the branch", "opened_at": {"offset": 50, "time": "2026-10-05T09:00:00.000Z"}}

given(task, more) := object.union(
	{"now": "2026-10-05T09:10:00.000Z", "host": {"mode": "interactive"}, "hook": {}, "tasks": [task], "config": {"params": {}}},
	more,
)

texts(task, more) := out if out := {d.text | some d in wait_for_monitors.demand} with input as given(task, more)

deferrals(task, more) := out if out := monitors_running.defer with input as given(task, more)

test_running if {
	texts(monitor, {}) == {"Monitor: \"CI of the branch\" (task bmon1) still runs, so its result is not known. Read what it has reported, or end it: `TaskStop` with task_id `bmon1`."}
	deferrals(monitor, {}) == {{"code": "example.monitor_awaited", "task_id": "bmon1", "until": "2026-10-05T09:30:00Z"}}
}

test_ended if {
	count(texts(object.union(monitor, {"state": "ended"}), {})) == 0
	count(deferrals(object.union(monitor, {"state": "ended"}), {})) == 0
}

test_no_monitor if count(texts(object.union(monitor, {"kind": "shell"}), {})) == 0

named(names) := {"config": {"params": {"wait_for_monitors": {"names": names}}}}

test_named if {
	count(texts(monitor, named(["^CI\\b"]))) == 1
	count(texts(monitor, named(["deploy"]))) == 0
	count(deferrals(monitor, named(["deploy"]))) == 0
	count(texts(object.remove(monitor, ["description"]), named(["CI"]))) == 0
}

test_without_a_name if {
	some text in texts(object.remove(monitor, ["description"]), {})
	startswith(text, "Monitor: \"unnamed\" (task bmon1)")
}

# The host's own list decides when there is one.
test_gone if {
	count(texts(monitor, {"hook": {"background_tasks": []}})) == 0
	count(texts(monitor, {"hook": {"background_tasks": [{"id": "bmon1"}]}})) == 1
	count(texts(monitor, {"hook": {"background_tasks": null}})) == 1
}

test_headless_holds if {
	count(texts(monitor, {"host": {"mode": "headless"}})) == 1
	count(deferrals(monitor, {"host": {"mode": "headless"}})) == 0
	count(deferrals(monitor, {"host": {"mode": "unknown"}})) == 0
}

test_too_long if {
	count(deferrals(monitor, {"now": "2026-10-05T09:30:00.000Z"})) == 1
	count(deferrals(monitor, {"now": "2026-10-05T09:30:00.001Z"})) == 0
	count(texts(monitor, {"now": "2026-10-05T10:00:00.000Z"})) == 1
}

test_at_most_30_minutes if {
	longer := {"now": "2026-10-05T09:31:00.000Z", "config": {"params": {"wait_for_monitors": {"minutes": 60}}}}
	count(deferrals(monitor, longer)) == 0
	shorter := {"config": {"params": {"wait_for_monitors": {"minutes": 5}}}}
	count(deferrals(monitor, shorter)) == 0
}

test_no_time_no_deferral if count(deferrals(object.union(object.remove(monitor, ["opened_at"]), {"opened_at": {"offset": 50}}), {})) == 0
