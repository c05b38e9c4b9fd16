package stophook.rules.changelog_test

import data.acme.paths
import data.stophook.rules.changelog

call := {"id": "1", "name": "Edit", "file_path": "cmd/main.go", "failed": false, "at": {"offset": 1}}

turn(calls) := {"tools": calls, "tool_calls": count(calls)}

test_demand if {
	count(changelog.demand) == 1 with input as {"turn": turn([call])}
	count(changelog.demand) == 1 with input.turn as {"tools": [call]}
	count(changelog.demand) == 1 with input.turn.tools as [object.union(call, {"file_path": "docs/a.md"})]
}

test_mocked if {
	count(changelog.demand) == 0 with input as {"turn": turn([call])} with data.acme.paths.visible as false_for
	count(changelog.demand) == 0 with input as {"turn": turn([call])} with data.stophook.rules.changelog.mentioned as true
}

false_for(_) := false

test_visible if paths.visible("cmd/x")
