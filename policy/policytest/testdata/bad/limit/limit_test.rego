package stophook.rules.limit_test

import data.stophook.rules.limit

of(n) := {"turn": {"tool_calls": n}, "host": {"mode": "interactive"}}

test_passes if count(limit.demand) == 1 with input as of(3)

test_fails if {
	n := 2
	print("asking for", n, "calls")
	found := count(limit.demand) with input as of(n)
	found == n - 1
}

test_cases[name] if {
	some name, tc in {
		"few": {"calls": 1, "want": 0},
		"many": {"calls": 3, "want": 0},
		"one more": {"calls": 3, "want": 1},
	}
	found := count(limit.demand) with input as of(tc.calls)
	found == tc.want
}

test_no_case_at_all[name] if {
	some name, _ in {}
}

test_builtin_error if {
	count(limit.demand) == 0 with input as {"turn": {"tool_calls": to_number("many")}, "host": {}}
}

test_every if {
	every n in [1, 2, 3] {
		count(limit.demand) == 0 with input as of(n)
	}
}

test_undefined if limit.nothing

# Twice the same name is two tests.
test_twice if true

test_twice if false
