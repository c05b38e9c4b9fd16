package stophook.rules.task_declared_test

import data.stophook.rules.task_declared

texts(turn, evidence, scope) := out if out := {d.text | some d in task_declared.demand} with input as {
	"self": {"command": "/opt/stophook"},
	"turn": {"is_tool_turn": turn},
	"evidence": evidence,
	"config": {"task_scope": scope},
}

test_missing if {
	some t in texts(true, {}, "session")
	contains(t, "working on: run `/opt/stophook task \"one line\"`")
}

test_missing_for_this_prompt if {
	some t in texts(true, {}, "turn")
	contains(t, "for this prompt: run")
}

test_paid if count(texts(true, {"task_declared": {"text": "parser"}}, "session")) == 0

test_prose if count(texts(false, {}, "turn")) == 0
