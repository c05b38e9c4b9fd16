# METADATA
# title: x
# description: What it is for.
# custom:
#   code: acme.x
package stophook.rules.x

demand contains {"text": "Run `make test`."} if {
	input.turn.tool_calls == "three"
}

demand contains {"text": "Run `make lint`."} if count(7) > 0

demand contains {"text": "Run `make vet`."} if {
	input.turn.final_text > 3
	startwith(input.turn.final_text, "done")
}
