# METADATA
# custom: {code: stop-hook.status_box_missing}
package stophook.rules.c

demand contains {"text": "Run `make test`."} if input.turn.is_tool_turn
