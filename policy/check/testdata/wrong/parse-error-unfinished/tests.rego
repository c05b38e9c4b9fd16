# METADATA
# title: tests
# description: What it is for.
# custom:
#   code: acme.tests
package stophook.rules.tests

demand contains {"text": "Run `make test`."} if {
	ran

ran if input.turn.is_tool_turn

other if {
	input.turn.tool_calls > > 3
}
