package acme.lib

busy if input.turn.is_tool_turn
