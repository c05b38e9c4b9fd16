# METADATA
# custom:
#   code: stop-hook.mine
package stophook.rules.q

demand contains {"text": "Run `make test`."} if input.turn.is_tool_turn
