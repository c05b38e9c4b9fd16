package stophook.rules.k_test

import data.stophook.rules.k

test_asks if {
	count(k.demand) == 1 with input as {"turn": {"tol_calls": 1}}
}

test_silent if {
	count(k.demand) == 0 with input.turn.tool_cals as 0
}
