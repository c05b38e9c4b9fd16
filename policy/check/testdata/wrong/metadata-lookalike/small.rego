# Metadata
# title: Small
# custom: {code: acme.small}
package stophook.rules.small

demand contains {"text": "Run `make test`."} if input.turn.is_tool_turn
