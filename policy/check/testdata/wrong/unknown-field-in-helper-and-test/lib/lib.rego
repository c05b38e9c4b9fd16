package acme.lib

busy if input.turn.toolcalls > 0
