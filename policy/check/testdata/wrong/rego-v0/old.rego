# METADATA
# title: old
# description: What it is for.
# custom:
#   code: acme.old
package stophook.rules.old

demand[{"text": text}] {
	input.turn.is_tool_turn
	text := "Run `make test`."
}
