package slow_test

test_slow if {
	n := numbers.range(1, 4000)
	count([1 | some a in n; some b in n; a * b == -1]) == 1
}

test_quick if true
