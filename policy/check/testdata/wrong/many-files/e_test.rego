package e_test

test_x if 1 == 
