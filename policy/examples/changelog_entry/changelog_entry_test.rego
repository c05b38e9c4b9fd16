package stophook.rules.changelog_entry_test

import data.stophook.rules.changelog_entry

edit(path) := {"id": "e", "name": "Edit", "file_path": path, "failed": false, "written": "x", "at": {"offset": 10}}

texts(tools, params, turn) := out if out := {d.text | some d in changelog_entry.demand} with input as {
	"session": {"cwd": "/w"},
	"turn": object.union({"complete": true, "tool_calls": count(tools), "tools": tools}, turn),
	"config": {"params": {"changelog_entry": params}},
}

source := edit("/w/api/users.go")

test_missing if texts([source, edit("/w/b.go")], {}, {}) == {"Changelog: you changed api/users.go and added no entry. Add one line under the topmost heading of `CHANGELOG.md`."}

test_added if count(texts([source, edit("/w/CHANGELOG.md")], {}, {})) == 0

test_added_first if count(texts([edit("/w/CHANGELOG.md"), source], {}, {})) == 0

test_an_entry_that_was_refused_is_none if count(texts([source, object.union(edit("/w/CHANGELOG.md"), {"failed": true})], {}, {})) == 1

test_taking_a_line_away_is_no_entry if count(texts([source, object.remove(edit("/w/CHANGELOG.md"), ["written"])], {}, {})) == 1

test_by_command if count(texts([source, {"id": "r", "name": "Bash", "command": "npx changeset add", "failed": false, "at": {"offset": 20}}], {}, {})) == 0

test_needs_none[path] if {
	some path in ["/w/README.md", "/w/api/users_test.go", "/w/tests/util.py", "/w/a.spec.ts", "/tmp/try.go"]
	count(texts([edit(path)], {}, {})) == 0
}

test_a_refused_edit_changes_nothing if count(texts([object.union(source, {"failed": true})], {}, {})) == 0

test_parameters if {
	params := {"source": ["schema/*.sql"], "except": ["schema/seed.sql"], "changelog": ["docs/history.md"]}
	some text in texts([edit("/w/schema/users.sql")], params, {})
	endswith(text, "`docs/history.md`.")
	count(texts([edit("/w/schema/seed.sql")], params, {})) == 0
	count(texts([source], params, {})) == 0
	count(texts([edit("/w/schema/users.sql"), edit("/w/docs/history.md")], params, {})) == 0
}

# The entry may stand where nobody sees.
test_hidden[why] if {
	some why, turn in {"cut": {"complete": false}, "too many": {"tool_calls": 65}}
	count(texts([source], {}, turn)) == 0
}
