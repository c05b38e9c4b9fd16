package acme.calls_test

import data.acme.calls

test_a_failed_call_did_not_run if {
	not calls.ran("x") with input as {"turn": {"tools": [{"name": "Bash", "command": "x", "failed": true}]}}
}
