package t

test_x if time.now_ns() > 0
