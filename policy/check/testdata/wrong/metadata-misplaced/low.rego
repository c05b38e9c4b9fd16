package stophook.rules.low

# METADATA
# title: Low
# custom:
#   code: acme.low
demand contains {"text": "Run `make test`."} if input.turn.is_tool_turn
