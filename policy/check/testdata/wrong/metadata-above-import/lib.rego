package acme.lib

x if input.turn.is_tool_turn
