package stophook.rules.session_named_test

import data.stophook.rules.session_named

texts(turn, evidence) := out if out := {d.text | some d in session_named.demand} with input as {
	"self": {"command": "/opt/stophook"},
	"turn": {"is_tool_turn": turn},
	"evidence": evidence,
}

test_missing if {
	some t in texts(true, {})
	contains(t, "run `/opt/stophook name \"short name\"`")
}

test_paid if count(texts(true, {"session_named": {"name": "parser"}})) == 0

test_prose if count(texts(false, {})) == 0
