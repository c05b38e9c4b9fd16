# METADATA
# title: n3
# description: What it is for.
# custom:
#   code: acme.n3
#   events: [PreToolUse]
package stophook.rules.n3

demand contains {"text": "Run `make test`."} if {
	input.host.event == "Stop"
}
