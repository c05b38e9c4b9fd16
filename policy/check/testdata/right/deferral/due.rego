# METADATA
# custom: {code: acme.due, deferrable: true}
package stophook.rules.due

demand contains {"text": text} if {
	input.turn.tool_calls > 3600
	text := concat(" ", [why, "Run `make`."])
}

why := "Many calls."
