package stophook.rules.no_todo_test

import data.stophook.rules.no_todo

edit(old, new) := {"id": "e", "name": "Edit", "file_path": "/w/a.go", "failed": false, "written": new, "replaced": old, "at": {"offset": 10}}

file(text) := {"id": "w", "name": "Write", "file_path": "/w/a.go", "failed": false, "written": text, "at": {"offset": 20}}

texts(tools, params) := out if out := {d.text | some d in no_todo.demand} with input as {
	"session": {"cwd": "/w"},
	"turn": {"tools": tools},
	"config": {"params": {"no_todo": params}},
}

test_left if {
	texts([edit("x", "x // TODO: errors")], {}) == {"TODO: you wrote `x // TODO: errors` into a.go and left it there. Finish it, or give it a ticket; this finds it: `grep -n 'TODO' a.go`."}
}

test_several if {
	some text in texts([edit("x", "// TODO a\n// FIXME b\nx"), edit("y", "// XXX c")], {})
	contains(text, "`// FIXME b` into a.go (and 2 more)")
}

test_evidence if {
	some d in no_todo.demand with input as {"session": {}, "turn": {"tools": [edit("x", "TODO")]}, "config": {"params": {}}}
	d.evidence == [10]
}

test_none if count(texts([edit("x", "y"), file("done")], {})) == 0

test_it_was_there_before if count(texts([edit("// TODO: old", "// TODO: old\nmore")], {})) == 0

test_it_is_another if count(texts([edit("// TODO: old", "// TODO: new")], {})) == 1

test_finished_later if count(texts([edit("x", "// TODO: errors"), edit("// TODO: errors", "return err")], {})) == 0

test_finished_by_taking_it_out if count(texts([edit("x", "// TODO: errors"), object.remove(edit("// TODO: errors", ""), ["written"])], {})) == 0

test_finished_by_writing_the_file if count(texts([edit("x", "// TODO: errors"), file("return err")], {})) == 0

test_written_and_kept if count(texts([edit("x", "// TODO: errors"), edit("// TODO: errors", "y\n// TODO: errors")], {})) == 1

test_finished_in_another_file if {
	other := object.union(edit("// TODO: errors", "y"), {"file_path": "/w/b.go"})
	count(texts([edit("x", "// TODO: errors"), other], {})) == 1
}

test_the_repair_was_refused if {
	refused := object.union(edit("// TODO: errors", "y"), {"failed": true})
	count(texts([edit("x", "// TODO: errors"), refused], {})) == 1
	count(texts([edit("x", "// TODO: errors"), object.union(file("y"), {"failed": true})], {})) == 1
}

test_a_refused_edit_leaves_nothing if count(texts([object.union(edit("x", "// TODO"), {"failed": true})], {})) == 0

test_with_a_ticket[line] if {
	some line in ["// TODO(#12): errors", "# FIXME(ABC-7) later"]
	count(texts([edit("x", line)], {})) == 0
}

test_words_that_only_look_like_one[line] if {
	some line in ["// todo: small letters are prose", "TODOS := 1", "autoTODO()"]
	count(texts([edit("x", line)], {})) == 0
}

test_ignored if count(texts([object.union(file("- TODO"), {"file_path": "/w/plan.md"})], {})) == 0

test_half_seen if {
	count(texts([object.union(edit("x", "// TODO"), {"cut": true})], {})) == 0
	count(texts([object.union(file("// TODO"), {"cut": true})], {})) == 1
}

test_a_long_line_is_shown_short if {
	some text in texts([file(concat("", ["// TODO ", concat(" ", [sprintf("%d", [n]) | some n in numbers.range(1, 60)])]))], {})
	contains(text, "...` into")
}

test_parameters if {
	params := {"markers": ["HACK"], "ticket": "JIRA", "ignore": ["gen/**"]}
	count(texts([file("// HACK")], params)) == 1
	count(texts([file("// TODO")], params)) == 0
	count(texts([file("// HACK JIRA-1")], params)) == 0
	count(texts([object.union(file("// HACK"), {"file_path": "/w/gen/a.go"})], params)) == 0
}
