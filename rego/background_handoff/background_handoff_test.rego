package stophook.deferrals.background_handoff_test

import data.stophook.deferrals.background_handoff

deferred(handoff, config) := out if out := {d.task_id | some d in background_handoff.defer} with input as {
	"handoffs": [object.union({"task_id": "b1", "age_seconds": 60, "state": {"any_text": "open", "ended": "open"}}, handoff)],
	"config": object.union({"closing": "any_text", "defer_minutes": 30}, config),
}

test_open if deferred({}, {}) == {"b1"}

# TR-9 and D-35: exactly 30 minutes still defer, a millisecond more does not.
test_boundary if {
	deferred({"age_seconds": 1800}, {}) == {"b1"}
	deferred({"age_seconds": 1800.001}, {}) == set()
}

# RG-3: less is possible, more is not.
test_minutes_are_bounded if {
	deferred({"age_seconds": 61}, {"defer_minutes": 1}) == set()
	deferred({"age_seconds": 1801}, {"defer_minutes": 600}) == set()
}

test_closed if deferred({"state": {"any_text": "closed", "ended": "open"}}, {}) == set()

test_expired if deferred({"state": {"any_text": "expired", "ended": "expired"}}, {}) == set()

test_mode_ended if deferred({"state": {"any_text": "closed", "ended": "open"}}, {"closing": "ended"}) == {"b1"}

# D-35: a receipt without a usable time is not pending.
test_no_age if deferred({"age_seconds": null}, {}) == set()

# D-45: transcripts are the signal, not the host's list.
test_registry_does_not_close if deferred({"registry": "absent"}, {}) == {"b1"}

test_until if {
	some d in background_handoff.defer with input as {
		"handoffs": [{"task_id": "b1", "age_seconds": 1, "expires_at": "2026-10-05T09:29:07Z", "state": {"any_text": "open"}}],
		"config": {"closing": "any_text", "defer_minutes": 30},
	}
	d.until == "2026-10-05T09:29:07Z"
	d.code == "stop-hook.background_handoff_deferred"
}
