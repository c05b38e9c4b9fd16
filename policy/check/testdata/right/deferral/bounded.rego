# METADATA
# title: Bounded
# custom: {code: acme.bounded}
package stophook.deferrals.bounded

default window := 600

most := 30

defer contains {"code": "acme.bounded", "task_id": h.task_id, "until": object.get(h, "expires_at", "")} if {
	some h in input.handoffs
	h.age_seconds <= min([most, input.config.defer_minutes, object.get(input.config.params, "minutes", 5)]) * 60
	h.age_seconds > 5
}

defer contains {"code": "acme.bounded", "task_id": t.id} if {
	some t in input.tasks
	seconds(t) < window
	t.kind == "a kind that only some host has"
}

seconds(t) := round((time.parse_rfc3339_ns(input.now) - time.parse_rfc3339_ns(t.opened_at.time)) / 1000000000)
