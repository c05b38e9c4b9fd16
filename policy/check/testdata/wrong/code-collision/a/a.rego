# METADATA
# title: a
# description: What it is for.
# custom:
#   code: acme.a
package stophook.rules.a

demand contains {"text": "Run `make test`."} if input.turn.is_tool_turn
