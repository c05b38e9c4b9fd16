# METADATA
# title: n1
# description: What it is for.
# custom:
#   code: acme.n1
package stophook.rules.n1

demands contains {"text": "Run `make test`."} if input.turn.is_tool_turn
