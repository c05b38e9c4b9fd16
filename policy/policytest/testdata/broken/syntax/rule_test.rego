package t

test_x if {
