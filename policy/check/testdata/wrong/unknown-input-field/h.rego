# METADATA
# title: h
# description: What it is for.
# custom:
#   code: acme.h
package stophook.rules.h

demand contains {"text": text} if {
	some h in input.handofs
	text := sprintf("Run `make %s`.", [h.task_id])
}

demand contains {"text": "Run `make test`."} if {
	input.turn.tool_cals > 3
	not input.evidence.status_chek
}
