# METADATA
# title: Monitors running
# description: While somebody is there to be woken by a monitor, what is asked because of it is put off.
# schemas:
#   - input: schema.input
# custom:
#   code: example.monitor_awaited
package stophook.deferrals.monitors_running

import data.stophook.rules.wait_for_monitors

# A deferral lifts every deferrable demand of its own layer and of those below, so tests_after_edit and its kin wait
# as well. The built-in ritual is a layer above, and stays.
defer contains {"code": "example.monitor_awaited", "task_id": task.id, "until": until} if {
	input.host.mode == "interactive"
	some task in wait_for_monitors.awaited
	opened := time.parse_rfc3339_ns(task.opened_at.time) # without a time there is no end that could be told
	ends := opened + ((minutes * 60) * 1000000000)
	time.parse_rfc3339_ns(input.now) <= ends
	until := time.format(ends)
}

minutes := min([30, object.get(input.config.params, ["wait_for_monitors", "minutes"], 30)])
