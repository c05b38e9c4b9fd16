# METADATA
# title: tests
# description: What it is for.
# custom:
#   code: acme.tests
package stophook.rules.tests

demand contains {"text": "Run `make test`."} if {
	input.turn.is_tool_turn
	count(input.turn.tools >  0
}
