# METADATA
# custom:
#   code: stop-hook.pass
package stophook.rules.p

demand contains {"text": "Run `make test`."} if input.turn.is_tool_turn
