# METADATA
# title: No sleep
# description: A shell command does not sleep.
# custom: {code: acme.sleep, severity: block, events: [PreToolUse]}
package stophook.rules.no_sleep

demand contains {"text": "Do not sleep: end the turn, and the notification wakes you."} if {
	startswith(input.tool.input.command, "sleep ")
}
