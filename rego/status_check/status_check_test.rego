package stophook.rules.status_check_test

import data.stophook.rules.status_check

texts(turn, evidence, config) := out if out := {d.text | some d in status_check.demand} with input as {
	"self": {"command": "/opt/stophook"},
	"turn": {"is_tool_turn": turn},
	"evidence": evidence,
	"config": config,
}

# PO-1: a tool turn owes a check, with the command as it can be called there.
test_missing if {
	some t in texts(true, {}, {})
	contains(t, "this turn used tools and has none. Run `/opt/stophook status --end-turn`")
}

test_stale if {
	some t in texts(true, {"stale_check": {"check_id": "k3f9a1b2"}}, {})
	contains(t, "older than your last tool call")
}

# PO-2: what the guarded check refuses is said beforehand.
test_git if {
	some t in texts(true, {}, {"require_git_finalization": true})
	contains(t, "uncommitted, unpushed or behind")
}

test_paid if count(texts(true, {"status_check": {"check_id": "k3f9a1b2"}}, {})) == 0

test_prose_owes_nothing if count(texts(false, {}, {})) == 0
