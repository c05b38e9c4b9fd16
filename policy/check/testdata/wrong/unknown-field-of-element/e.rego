# METADATA
# title: e
# description: What it is for.
# custom:
#   code: acme.e
package stophook.rules.e

demand contains {"text": "Run `make test`."} if {
	some x in input.tasks
	x.stat == "running"
}

demand contains {"text": "Run `make lint`."} if {
	every t in input.turn.tools {
		t.nam == "Bash"
	}
}

demand contains {"text": "Run `make vet`."} if {
	count([c | some c in input.turn.tools; c.comand == "make vet"]) == 0
	input.tasks.id == "b1"
}
