# METADATA
# title: Values
# custom:
#   severity: fatal
#   events: [Stopp]
#   order: first
package stophook.rules.v

demand contains {"text": "Run `make test`."} if input.turn.is_tool_turn
