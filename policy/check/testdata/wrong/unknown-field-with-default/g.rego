# METADATA
# title: g
# description: What it is for.
# custom:
#   code: acme.g
package stophook.rules.g

demand contains {"text": "Run `make test`."} if {
	some call in input.turn.tools
	contains(object.get(call, "comand", ""), "git push")
	object.get(input, ["turn", "is_tol_turn"], false)
}
