package stophook.rules.crlf

test_demand if count(demand) == 1 with input as {"turn": {"is_tool_turn": true}}
