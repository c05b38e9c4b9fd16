# METADATA
# title: y
# custom:
#   code: [acme.y
package stophook.rules.y

demand contains {"text": "Run `make test`."} if input.turn.is_tool_turn
