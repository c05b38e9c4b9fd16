package stophook.rules.w_test

import data.stophook.rules.w

test_clock if {
	count(w.demand) == 0 with input as {"now": time.format(time.now_ns())}
}
