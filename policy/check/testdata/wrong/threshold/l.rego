# METADATA
# title: Long
# custom:
#   code: acme.long
package stophook.deferrals.long

limit := 60 * 60

defer contains {"code": "acme.long", "task_id": h.task_id} if {
	some h in input.handoffs
	h.age_seconds <= 3600
}

defer contains {"code": "acme.long", "task_id": h.task_id} if {
	some h in input.handoffs
	not h.age_seconds > limit
}

defer contains {"code": "acme.long", "task_id": t.id} if {
	some t in input.tasks
	age := time.parse_rfc3339_ns(input.now) - time.parse_rfc3339_ns(t.opened_at.time)
	2700000000000 > age
}

defer contains {"code": "acme.long", "task_id": h.task_id} if {
	some h in input.handoffs
	h.age_seconds < input.config.defer_minutes * 120
}

defer contains {"code": "acme.long", "task_id": h.task_id} if {
	some h in input.handoffs
	h.age_seconds < object.get(input.config.params, "seconds", 600)
}
