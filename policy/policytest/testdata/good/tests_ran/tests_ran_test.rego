package stophook.rules.tests_ran_test

import data.stophook.rules.status_check
import data.stophook.rules.tests_ran

edit := {"id": "1", "name": "Edit", "file_path": "a.go", "failed": false, "at": {"offset": 10}}

run(failed) := {"id": "2", "name": "Bash", "command": "make test", "failed": failed, "at": {"offset": 20}}

demands(tools) := n if n := count(tests_ran.demand) with input as {"turn": {"tools": tools}, "config": {"params": {}}}

test_edit_without_tests_is_a_demand if demands([edit]) == 1

test_demands[name] if {
	some name, tc in {
		"nothing happened": {"tools": [], "want": 0},
		"edit, then tests": {"tools": [edit, run(false)], "want": 0},
		"edit, then tests that fail": {"tools": [edit, run(true)], "want": 1},
	}
	demands(tc.tools) == tc.want
}

test_the_command_is_a_parameter if {
	some d in tests_ran.demand with input as {"turn": {"tools": [edit]}, "config": {"params": {"acme": {"test_command": "just t"}}}}
	contains(d.text, "run `just t`")
}

# The built-in rules are there, too.
test_built_in_rules_can_be_asked if {
	count(status_check.demand) == 1 with input as {"turn": {"is_tool_turn": true}, "evidence": {}, "config": {}, "self": {"command": "stophook"}}
}

todo_test_a_later_idea if false
