# METADATA
# title: t
# description: What it is for.
# custom:
#   code: acme.t
package stophook.rules.t

demand contains {"text": "Run `make test`."} if input.turn.is_tool_turn
