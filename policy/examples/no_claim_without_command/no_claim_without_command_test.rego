package stophook.rules.no_claim_without_command_test

import data.stophook.rules.no_claim_without_command

run(command) := {"id": "r", "name": "Bash", "command": command, "failed": false, "result_time": "x", "at": {"offset": 20}}

edit := {"id": "e", "name": "Edit", "file_path": "/w/a.go", "failed": false, "result_time": "x", "at": {"offset": 10}}

texts(reply, tools, more) := out if out := {d.text | some d in no_claim_without_command.demand} with input as object.union(
	{"turn": {"complete": true, "is_tool_turn": true, "tool_calls": count(tools), "tools": tools, "final_text": reply}, "config": {"params": {}}},
	more,
)

test_tests if {
	texts("Renamed the flag. All tests pass.", [edit], {}) == {"Claim: your reply says \"all tests pass.\", and no command of this turn shows it. Say what was not checked, or run `make test`."}
}

test_claims[reply] if {
	some reply in [
		"The test suite is green", "I ran it; tests passed!", "Done.\n- tests: passing", "It builds cleanly.", "Verified.",
		"I have verified the fix", "Everything is done. The new specs all pass.", "Tests passed\n\nI did not touch the docs.",
	]
	count(texts(reply, [edit], {})) == 1
}

test_no_claims[reply] if {
	some reply in [
		"", "Renamed the flag.", "The tests do not pass.", "I haven't verified this.", "Tests should pass now.", "Once the tests pass, merge it.",
		"Will the tests pass?", "I added a test that fails.", "The log says \"tests passed\".", "Run `tests pass` next.", "```\ntests pass\n```", "> verified",
		"I couldn’t run the tests, so nothing is verified", "The change is unverified.",
		"Added tests for the pass-through mode.", "Wrote a test for passing nil.", "The tests now pass-through errors.",
	]
	count(texts(reply, [edit], {})) == 0
}

test_shown if {
	count(texts("All tests pass.", [edit, run("go test ./...")], {})) == 0
	count(texts("It builds cleanly.", [edit, run("go build ./...")], {})) == 0
	count(texts("Verified.", [edit, run("curl -s localhost/health")], {})) == 0
	count(texts("Verified.", [edit, {"id": "g", "name": "Read", "failed": false, "result_time": "x"}], {})) == 0
}

test_not_shown[why] if {
	some why, tools in {
		"another command": [run("ls")],
		"it failed": [object.union(run("go test ./..."), {"failed": true})],
		"it was interrupted": [object.remove(run("go test ./..."), ["result_time"])],
		"only an edit": [edit],
	}
	count(texts("All tests pass.", tools, {})) == 1
}

test_the_status_check_verifies_nothing if count(texts("Verified.", [object.union(run("stophook status --end-turn"), {"evidence": "status"})], {})) == 1

test_one_of_two_is_shown if {
	some text in texts("All tests pass. It builds cleanly.", [run("pytest")], {})
	contains(text, "it builds cleanly")
}

test_a_turn_of_words if count(texts("Yes, all tests pass.", [], {"turn": {"is_tool_turn": false}})) == 0

test_hidden[why] if {
	some why, turn in {
		"cut": {"complete": false},
		"too many calls": {"tool_calls": 65},
		"a subagent may have run it": {"tool_calls": 1, "tools": [{"id": "a", "name": "Agent", "failed": false}]},
		"an MCP tool may have run it": {"tool_calls": 1, "tools": [{"id": "a", "name": "mcp__ci__run", "failed": false}]},
	}
	count(texts("All tests pass.", [], {"turn": turn})) == 0
}

test_no_command_to_name if {
	some text in texts("Confirmed.", [edit], {})
	endswith(text, "or run the command that shows it.")
}

test_a_long_sentence_is_shown_short if {
	some text in texts(sprintf("verified %s", [concat(" ", [sprintf("%d", [n]) | some n in numbers.range(1, 60)])]), [edit], {})
	contains(text, "...\", and no")
}

test_parameters if {
	params := {"config": {"params": {"no_claim_without_command": [{"says": `\bdeployed\b`, "shown_by": ["make deploy"]}]}}}
	count(texts("It is deployed.", [edit], params)) == 1
	count(texts("It is deployed.", [run("make deploy")], params)) == 0
	count(texts("All tests pass.", [edit], params)) == 0
}
