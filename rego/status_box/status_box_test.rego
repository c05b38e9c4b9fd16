package stophook.rules.status_box_test

import data.stophook.rules.status_box

texts(turn, evidence, on_prose) := out if out := {d.text | some d in status_box.demand} with input as {
	"self": {"command": "/opt/stophook"},
	"turn": {"is_tool_turn": turn},
	"evidence": evidence,
	"config": {"box_on_prose": on_prose},
}

test_no_check_yet if {
	some t in texts(true, {}, false)
	contains(t, "the box that `/opt/stophook status --end-turn` prints")
}

test_check_made if {
	some t in texts(true, {"status_check": {"check_id": "k3f9a1b2"}}, false)
	contains(t, "show the box of check k3f9a1b2")
}

test_paid if count(texts(true, {"status_check": {"check_id": "k3f9a1b2"}, "status_box": {"check_id": "k3f9a1b2"}}, false)) == 0

# D-39: the box on prose turns is a switch.
test_prose if count(texts(false, {}, false)) == 0

test_prose_switched_on if count(texts(false, {}, true)) == 1

test_prose_switched_on_paid if count(texts(false, {"status_box": {"check_id": "k3f9a1b2"}}, true)) == 0
