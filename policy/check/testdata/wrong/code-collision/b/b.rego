# METADATA
# title: b
# custom:
#   severity: warn
#   code: acme.a
package stophook.rules.b

demand contains {"text": "Run `make test`."} if input.turn.is_tool_turn
