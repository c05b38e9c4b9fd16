# METADATA
# title: Wait for monitors
# description: A turn is not over while a monitor that it relies on still runs.
# schemas:
#   - input: schema.input
# custom:
#   code: example.monitor_running
#   severity: block
#   deferrable: true
package stophook.rules.wait_for_monitors

# Hold or put off? Both, by who is there. In an interactive session the end of a monitor, and every event of it,
# wakes the agent: holding it would only bounce it until the cap, with nothing that it could do. So this demand
# is deferrable, and monitors_running.rego beside it puts it off. Then the answer is `defer`: the turn may end,
# nothing counts as done, a request to end the session is not carried out, and the next turn is asked again. In a
# headless run nobody is woken, so there the demand holds, and the agent reads or stops the monitor.
#
# Parameters, all optional:
#
#   params:
#     wait_for_monitors:
#       names: ["^CI\\b", deploy]           # regular expressions for the description; default: every monitor
#       minutes: 30                         # how long it is put off, at most 30; then the demand holds
#
# What this rule cannot see, and what it does about it:
#   - Monitors that were started before the window: nothing is asked for them.
#   - What a monitor found. Its events are text, and the agent reads them.
#   - A monitor that ended without a notice, as in a `/clear`: the host's own list decides when there is one.

demand contains {"text": text, "evidence": [task.opened_at.offset]} if {
	some task in awaited
	text := sprintf("Monitor: \"%s\" (task %s) still runs, so its result is not known. Read what it has reported, or end it: `TaskStop` with task_id `%s`.", [object.get(task, "description", "unnamed"), task.id, task.id])
}

# awaited is also what the deferral waits for.
awaited contains task if {
	some task in input.tasks
	task.kind == "monitor"
	task.state == "running"
	named(task)
	not gone(task)
}

named(task) if {
	some name in object.get(input.config.params, ["wait_for_monitors", "names"], [""])
	regex.match(name, object.get(task, "description", ""))
}

# gone: the host has a list of what runs, and this is not in it. No list is no answer.
gone(task) if {
	is_array(input.hook.background_tasks)
	not task.id in {t.id | some t in input.hook.background_tasks}
}
