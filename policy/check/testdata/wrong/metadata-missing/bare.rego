package stophook.rules.bare

demand contains {"text": "Run `make test`."} if input.turn.is_tool_turn
