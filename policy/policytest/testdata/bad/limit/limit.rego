# METADATA
# title: Limit
# description: A turn has few calls.
# custom: {code: acme.limit, severity: warn}
package stophook.rules.limit

demand contains {"text": text} if {
	input.turn.tool_calls > limit
	text := sprintf("%d calls, at most %d.", [input.turn.tool_calls, limit])
}

limit := 1 if input.host.mode == "headless"

else := 2

notice contains "unreached" if {
	input.session.cwd == "/nowhere"
	print("never printed")
}
