# METADATA
# title: Background handoff
# description: A foreground command that the host moved to the background, and that has not reported, defers the status evidence.
# custom:
#   code: stop-hook.background_handoff_deferred
#   events: [Stop]
#   order: 10
package stophook.deferrals.background_handoff

# The bound of 30 minutes stands here as well as in the configuration: nothing can defer longer.
defer contains {"code": "stop-hook.background_handoff_deferred", "task_id": h.task_id, "until": object.get(h, "expires_at", "")} if {
	some h in input.handoffs
	h.state[input.config.closing] == "open"
	is_number(h.age_seconds)
	h.age_seconds <= min([30, input.config.defer_minutes]) * 60
}
