# METADATA
# custom: {code: acme.d2}
package stophook.rules.d

demand contains {"text": "Run `make test`."} if input.turn.is_tool_turn
