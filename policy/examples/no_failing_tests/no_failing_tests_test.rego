package stophook.rules.no_failing_tests_test

import data.stophook.rules.no_failing_tests

# run is a finished test run at an offset, with more members.
run(offset, more) := object.union({"id": sprintf("t%d", [offset]), "name": "Bash", "command": "make test", "failed": false, "result_time": "2026-10-05T09:00:05.000Z", "at": {"offset": offset}}, more)

failed := {"failed": true, "exit_code": 2}

demands(tools, tasks, params) := out if out := no_failing_tests.demand with input as {
	"turn": {"tools": tools, "started_at": {"offset": 100}},
	"tasks": tasks,
	"config": {"params": params},
}

texts(tools) := {d.text | some d in demands(tools, [], {})}

strict := {"no_failing_tests": {"unclear": true}}

test_failed if {
	some d in demands([run(110, failed)], [], {})
	d.text == "Tests: the last run failed (`make test`). Repair what fails, then run `make test`."
	d.evidence == [110]
}

test_passed if count(texts([run(110, {})])) == 0

test_repaired if count(texts([run(110, failed), run(120, {})])) == 0

test_broken_again if count(texts([run(110, {}), run(120, failed)])) == 1

test_other_failures_are_no_tests if count(texts([run(110, object.union(failed, {"command": "grep x y"}))])) == 0

test_no_run if count(texts([])) == 0

test_a_refused_run_leaves_the_one_before if count(texts([run(110, failed), run(120, {"failed": true})])) == 1

test_an_interrupted_run_leaves_the_one_before if count(texts([run(110, failed), object.remove(run(120, {}), ["result_time"])])) == 1

test_a_long_command_is_shown_short if {
	long := concat("", ["make test ", concat(" ", ["x" | some _ in numbers.range(1, 60)])])
	some text in texts([run(110, object.union(failed, {"command": long}))])
	contains(text, "x...`)")
}

# A line of which the test is only a part: its exit code tells nothing.
test_unclear[command] if {
	some command in ["make test | tail -5", "make test || true", "go test ./... 2>&1 | tee log", "make test; echo done"]
	count(demands([run(110, {"command": command})], [], {})) == 0
	{d.code | some d in demands([run(110, {"command": command})], [], strict)} == {"example.tests_unclear"}
}

test_clear[command] if {
	some command in ["make test 2>&1", "cd api && make test", "go test ./... >log 2>&1", "go test ./... &>log", "make test\n"]
	count(demands([run(110, {"command": command})], [], strict)) == 0
}

task(more) := object.union({"id": "b1", "command": "make test", "tool_use_id": "t110", "state": "ended"}, more)

test_in_the_background_failed if count(demands([run(110, {"background": true})], [task({"exit_code": 1})], {})) == 1

test_in_the_background_passed if count(demands([run(110, {"background": true})], [task({"exit_code": 0})], {})) == 0

test_in_the_background_running if count(demands([run(110, {})], [task({"state": "running"})], strict)) == 0

test_in_the_background_without_a_code if count(demands([run(110, {})], [task({})], strict)) == 1

# The notification begins a new turn, in which the call is not.
test_of_an_earlier_turn_failed if count(demands([], [task({"exit_code": 1, "ended_at": {"offset": 100}})], {})) == 1

test_of_an_earlier_turn_failed_and_repaired if count(demands([run(150, {})], [task({"exit_code": 1, "tool_use_id": "t9", "ended_at": {"offset": 100}})], {})) == 0

test_of_an_earlier_turn_whose_notice_began_this_one if {
	some d in no_failing_tests.demand with input as {
		"turn": {"tools": [], "started_at": {"offset": 100}, "notified": ["b1"]},
		"tasks": [task({"exit_code": 1, "ended_at": {"offset": 90}})],
		"config": {"params": {}},
	}
	d.evidence == [90]
}

test_told_in_an_earlier_turn if count(demands([], [task({"exit_code": 1, "ended_at": {"offset": 99}})], {})) == 0
