# METADATA
# title: ag
# description: What it is for.
# custom:
#   code: acme.ag
package stophook.rules.ag

demand contains {"text": "Run `make test`."} if {
	data.stophook.main.decision.verdict == "block"
}
