# METADATA
# title: n
# description: What it is for.
# custom:
#   code: acme.n
package stophook.rules.n

demand contains {"text": "Run `make test`."} if input.turn.is_tool_turn
