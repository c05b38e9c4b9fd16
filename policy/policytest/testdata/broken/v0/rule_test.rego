package t

test_x { true }
