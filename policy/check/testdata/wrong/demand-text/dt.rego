# METADATA
# title: dt
# description: What it is for.
# custom:
#   code: acme.dt
package stophook.rules.dt

demand contains {"text": " "} if input.turn.is_tool_turn

demand contains {"text": text} if {
	some call in input.turn.tools
	call.failed
	text := sprintf("The tests of %s are broken.", [call.name])
}
